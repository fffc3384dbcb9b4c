import { changeRows, type Params, type RawBuilder, selectRow, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { AddressState } from '../domain/address-state.ts';
import type { Queryable } from './queryable.ts';
import { schema, tables } from './tables.ts';

export interface UserRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string | null;
  readonly address: AddressState;
  readonly isDisabled: boolean;
}

/** A person with the state of the second factor. */
export interface UserView extends UserRecord {
  /** Language of the console; null: that of the browser. */
  readonly language: string | null;
  /** An authenticator app or a passkey. */
  readonly hasFactor: boolean;
  readonly hasApp: boolean;
  readonly passkeys: number;
  readonly hasPendingFactor: boolean;
  readonly recoveryCodesLeft: number;
}

const HAS_APP = sql<boolean>`EXISTS (SELECT FROM factors f WHERE f.user_id = u.id AND f.confirmed_at IS NOT NULL)`;
/** Whether the person `u` has a second factor. */
export const HAS_FACTOR: RawBuilder<boolean> = sql`(${HAS_APP} OR EXISTS (SELECT FROM passkeys p WHERE p.user_id = u.id))`;

const USERS = tables
  .selectFrom('users as u')
  .select([
    'u.id',
    'u.email',
    'u.name',
    'u.password_hash as passwordHash',
    'u.address_state as address',
    'u.language',
    sql<boolean>`u.disabled_at IS NOT NULL`.as('isDisabled'),
    HAS_FACTOR.as('hasFactor'),
    HAS_APP.as('hasApp'),
    sql<number>`(SELECT count(*)::int FROM passkeys p WHERE p.user_id = u.id)`.as('passkeys'),
    sql<boolean>`EXISTS (SELECT FROM factors f WHERE f.user_id = u.id AND f.confirmed_at IS NULL)`.as(
      'hasPendingFactor',
    ),
    sql<number>`(SELECT count(*)::int FROM recovery_codes r WHERE r.user_id = u.id AND r.used_at IS NULL)`.as(
      'recoveryCodesLeft',
    ),
  ]);

const FIND_PROVEN = schema.prepare('find-proven-user', ({ email }: Params<{ readonly email: string }>) =>
  USERS.where('u.email', '=', email).where('u.address_state', '=', 'proven'),
);

/** `proven` precedes `unproven` in the order of the alphabet. */
const ACCOUNTS_OF = schema.prepare('accounts-of-email', ({ email }: Params<{ readonly email: string }>) =>
  USERS.where('u.email', '=', email).where('u.address_state', '<>', 'pending').orderBy('u.address_state').limit(2),
);

const FIND = schema.prepare('find-user', ({ id }: Params<{ readonly id: string }>) => USERS.where('u.id', '=', id));

const DELETE_UNVERIFIED = schema.prepareText(
  'delete-unverified',
  {},
  ({ seconds }: Params<{ readonly seconds: number }>) => sql`
    WITH old AS (
      SELECT id FROM users WHERE address_state = 'pending' AND created_at < now() - make_interval(secs => ${seconds})
      LIMIT 500 FOR UPDATE SKIP LOCKED),
    empty AS (
      DELETE FROM workspaces w WHERE w.id IN (SELECT workspace_id FROM memberships WHERE user_id IN (SELECT id FROM old))
        AND NOT EXISTS (SELECT FROM memberships m WHERE m.workspace_id = w.id AND m.user_id NOT IN (SELECT id FROM old))
        AND NOT EXISTS (SELECT FROM api_keys k WHERE k.workspace_id = w.id))
    DELETE FROM users WHERE id IN (SELECT id FROM old)`,
);

/** Stores people. An address belongs to at most one person who has proven it, and to at most one who has not. */
export class UserStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the person who has proven this address. */
  findProven(email: string, db: Queryable = this.#pool): Promise<UserView | undefined> {
    return FIND_PROVEN.row(db, { email });
  }

  /** Returns the people who can sign in with this address, the one who has proven it first; at most two. */
  accountsOf(email: string, db: Queryable = this.#pool): Promise<UserView[]> {
    return ACCOUNTS_OF.rows(db, { email });
  }

  find(id: string, db: Queryable = this.#pool): Promise<UserView | undefined> {
    return FIND.row(db, { id });
  }

  /** Locks a person's row, so that changes of the factors follow each other. */
  async lock(db: pg.PoolClient, id: string): Promise<void> {
    await selectRow(db, tables.selectFrom('users').select('id').where('id', '=', id).forUpdate());
  }

  async create(
    db: Queryable,
    { id, email, name, passwordHash, address }: Omit<UserRecord, 'isDisabled'>,
  ): Promise<void> {
    await changeRows(
      db,
      tables.insertInto('users').values({
        id,
        email,
        name,
        password_hash: passwordHash,
        address_state: address,
        email_verified_at: address === 'proven' ? sql<Date>`now()` : null,
      }),
    );
  }

  /** Sets the language of the console; null: that of the browser. */
  async setLanguage(id: string, language: string | null): Promise<void> {
    await changeRows(this.#pool, tables.updateTable('users').set({ language }).where('id', '=', id));
  }

  /** Sets the address and its state. Unique indexes refuse an address of another person in the same state. */
  async setEmail(db: Queryable, id: string, email: string, state: 'unproven' | 'proven'): Promise<void> {
    await changeRows(
      db,
      tables
        .updateTable('users')
        .set({ email, address_state: state, email_verified_at: state === 'proven' ? sql<Date>`now()` : null })
        .where('id', '=', id),
    );
  }

  /** Sets the hash of the password; null: the person can not sign in with a password. */
  async setPassword(db: Queryable, id: string, passwordHash: string | null): Promise<void> {
    await changeRows(db, tables.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', id));
  }

  async setName(id: string, name: string): Promise<void> {
    await changeRows(this.#pool, tables.updateTable('users').set({ name }).where('id', '=', id));
  }

  /** Deletes a batch of accounts whose address stayed pending, with the workspaces that only they are members of. @returns their number */
  deleteUnverified(afterSeconds: number): Promise<number> {
    return DELETE_UNVERIFIED.change(this.#pool, { seconds: afterSeconds });
  }
}
