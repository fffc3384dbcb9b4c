import { type ErasedPerson, makeErasePerson } from '@tidemark/identity/erase-person';
import { openPool } from '@tidemark/service';
import pg from 'pg';
import { Problem } from '../../local/problem.ts';
import type { Installation } from '../installation.ts';

export interface Erasure extends ErasedPerson {
  /** Mails to the address that were deleted, with their attempts. */
  readonly mails: number;
  /** Projects whose settings, or versions of them, named the address as a recipient of mails. */
  readonly projects: number;
}

/**
 * Erases a person by the address: the account with everything that belongs to it, mails to the address, and the address in settings of projects. The
 * fleet may run. Repeatable, also for an address without an account.
 * @throws AppError conflict if the person is the only owner of a workspace, unless such workspaces are deleted
 */
export async function erasePerson(
  { databaseUrl }: Pick<Installation, 'databaseUrl'>,
  { address, deletesOwned }: { readonly address: string; readonly deletesOwned: boolean },
): Promise<Erasure> {
  if (!/^[^@\s]+@[^@\s]+$/.test(address))
    throw new Problem(`${address} is no mail address; expected that of the person.`);
  const pool = openPool(databaseUrl, 'identity', 2);
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {}); // the rejected query reports it
  try {
    const erased = await makeErasePerson({ pool, now: () => new Date() })({ address, deletesOwned });
    await client.connect();
    const normalized = address.trim().toLowerCase();
    const mails = await client.query(DELETE_MAILS, [normalized]);
    const projects = await client.query(REMOVE_RECIPIENT, [normalized]);
    await client.query('DELETE FROM delivery.dismissed_notices WHERE member_id = ANY ($1)', [erased.userIds]);
    return { ...erased, mails: mails.rowCount ?? 0, projects: projects.rowCount ?? 0 };
  } finally {
    await client.end().catch(() => {});
    await pool.end();
  }
}

const DELETE_MAILS = `
  WITH mails AS (DELETE FROM delivery.deliveries WHERE kind = 'mail' AND lower(recipient) = $1 RETURNING id),
  attempts AS (DELETE FROM delivery.attempts WHERE delivery_id IN (SELECT id FROM mails))
  SELECT id FROM mails`;

/** The settings without the address; `config` is a column of settings. */
const WITHOUT = `
  jsonb_set(config, '{notify_emails}', coalesce(
    (SELECT jsonb_agg(e) FROM jsonb_array_elements(config->'notify_emails') e WHERE lower(e #>> '{}') <> $1), '[]'))`;
const NAMES = `
  jsonb_typeof(config->'notify_emails') = 'array'
  AND EXISTS (SELECT FROM jsonb_array_elements(config->'notify_emails') e WHERE lower(e #>> '{}') = $1)`;

const REMOVE_RECIPIENT = `
  WITH versions AS (UPDATE projects.config_versions SET config = ${WITHOUT} WHERE ${NAMES} RETURNING project_id),
  present AS (UPDATE projects.projects SET config = ${WITHOUT} WHERE ${NAMES} RETURNING id)
  SELECT project_id FROM versions UNION SELECT id FROM present`;
