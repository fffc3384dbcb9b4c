import { anyOf, changeRows, type Params, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from './tables.ts';

/** Address and accounts of a person who is erased. */
interface Erased {
  readonly address: string;
  readonly userIds: readonly string[];
}

const ERASE_AUDIT = schema.prepareText(
  'erase-person-from-audit',
  {},
  ({ address, userIds }: Params<Erased>) => sql`
    UPDATE audit SET
      ip = CASE WHEN actor_id = ANY (${userIds}::text[]) OR subject_id = ANY (${userIds}::text[]) THEN '' ELSE ip END,
      user_agent = CASE WHEN actor_id = ANY (${userIds}::text[]) OR subject_id = ANY (${userIds}::text[]) THEN '' ELSE user_agent END,
      detail = CASE WHEN lower(detail->>'email') = ${address} THEN detail - 'email' ELSE detail END
    WHERE actor_id = ANY (${userIds}::text[]) OR subject_id = ANY (${userIds}::text[]) OR lower(detail->>'email') = ${address}`,
);

const ERASE_ATTEMPTS = schema.prepareText(
  'erase-person-from-attempts',
  {},
  ({ address, userIds }: Params<Erased>) => sql`
    DELETE FROM login_failures f WHERE EXISTS (
      SELECT FROM unnest(array_append(${userIds}::text[], ${address}::text)) AS t (text) WHERE position(t.text IN f.subject) > 0)`,
);

/** Locks the accounts of an address, in every state. @returns their ids */
export async function lockAccounts(db: pg.PoolClient, address: string): Promise<string[]> {
  const rows = await selectRows(
    db,
    tables.selectFrom('users').select('id').where('email', '=', address).orderBy('id').forUpdate(),
  );
  return rows.map(({ id }) => id);
}

/**
 * Deletes the accounts of a person with their sessions, factors, passkeys, links and saved views, and invitations to the address; takes address, network
 * address and browser out of audit logs. Entries keep the id, which then names no one.
 */
export async function deletePerson(db: pg.PoolClient, { address, userIds }: Erased): Promise<void> {
  await changeRows(db, tables.deleteFrom('invites').where('email', '=', address));
  await changeRows(db, tables.deleteFrom('one_time_tokens').where('email', '=', address));
  await ERASE_AUDIT.change(db, { address, userIds });
  await ERASE_ATTEMPTS.change(db, { address, userIds });
  await changeRows(db, tables.deleteFrom('users').where('id', '=', anyOf(userIds)));
}
