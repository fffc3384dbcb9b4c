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
    await client.query(REMOVE_RECIPIENT_FROM_RUNS, [normalized]);
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

/** Settings, an expression of jsonb, without the address among the recipients of mails. */
const without = (settings: string): string => `
  jsonb_set(${settings}, '{notify_emails}', coalesce(
    (SELECT jsonb_agg(e) FROM jsonb_array_elements(${settings}->'notify_emails') e WHERE lower(e #>> '{}') <> $1), '[]'))`;
const names = (settings: string): string => `
  jsonb_typeof(${settings}->'notify_emails') = 'array'
  AND EXISTS (SELECT FROM jsonb_array_elements(${settings}->'notify_emails') e WHERE lower(e #>> '{}') = $1)`;

const REMOVE_RECIPIENT = `
  WITH versions AS (
    UPDATE projects.config_versions SET config = ${without('config')} WHERE ${names('config')} RETURNING project_id),
  present AS (UPDATE projects.projects SET config = ${without('config')} WHERE ${names('config')} RETURNING id)
  SELECT project_id FROM versions UNION SELECT id FROM present`;

/** Runs keep the settings with which they began. The text is searched first: most contain no recipient, and an empty one is no JSON. */
const REMOVE_RECIPIENT_FROM_RUNS = `
  WITH found AS MATERIALIZED (
    SELECT run_no, config_json::jsonb AS config FROM crawl.run_details WHERE position($1 IN lower(config_json)) > 0)
  UPDATE crawl.run_details d SET config_json = (${without('f.config')})::text FROM found f
  WHERE d.run_no = f.run_no AND ${names('f.config')}`;
