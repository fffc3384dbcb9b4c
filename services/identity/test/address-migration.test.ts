import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, type TestDatabase } from '@tidemark/testkit';

const MIGRATIONS = join(import.meta.dirname, '../prisma/migrations');
const UNDER_TEST = '20261201000000_address_state';
let database: TestDatabase;
const run = (name: string) =>
  database.sql(`SET search_path TO identity; ${readFileSync(join(MIGRATIONS, name, 'migration.sql'), 'utf8')}`);

/** Accounts before the migration: when they were made, verified and bound to a provider (minutes), and whether the address changed. */
const ACCOUNTS = {
  usr_pending: { verified: null, bound: null, changed: false },
  usr_without_mail_host: { verified: 0, bound: null, changed: false },
  usr_link_opened: { verified: 5, bound: null, changed: false },
  usr_changed: { verified: 5, bound: null, changed: true },
  usr_made_by_provider: { verified: 0, bound: 0, changed: false },
  usr_bound_later: { verified: 0, bound: 9, changed: false },
} as const;

beforeAll(async () => {
  database = await createDatabase();
  await database.sql('DROP SCHEMA identity CASCADE');
  const names = readdirSync(MIGRATIONS)
    .filter((name) => !name.endsWith('.toml'))
    .sort();
  await database.sql('CREATE SCHEMA identity');
  for (const name of names.filter((one) => one < UNDER_TEST)) await run(name);
  await database.sql(`INSERT INTO identity.workspaces (id, name, plan) VALUES ('ws_1', 'Harbour', 'free')`);
  for (const [id, { verified, bound, changed }] of Object.entries(ACCOUNTS)) {
    await database.sql(
      `INSERT INTO identity.users (id, email, name, password_hash, created_at, email_verified_at)
       VALUES ($1, $1 || '@example.com', 'Ann', 'hash', '2026-01-01Z', '2026-01-01Z'::timestamptz + $2::int * interval '1 minute')`,
      [id, verified],
    );
    await database.sql(
      `INSERT INTO identity.sessions (id, token_hash, user_id, state, expires_at, ip, user_agent)
       VALUES ('ses_' || $1::text, convert_to($1, 'UTF8'), $1, 'full', now() + interval '1 day', '', '')`,
      [id],
    );
    await database.sql(
      `INSERT INTO identity.api_keys (id, workspace_id, name, secret_hash, last_four, created_by, all_projects)
       VALUES ('key_' || $1::text, 'ws_1', 'k', convert_to($1, 'UTF8'), 'last', $1, true)`,
      [id],
    );
    if (bound !== null)
      await database.sql(
        `INSERT INTO identity.external_identities (issuer, subject, user_id, created_at)
         VALUES ('https://idp.example', $1, $1, '2026-01-01Z'::timestamptz + $2::int * interval '1 minute')`,
        [id, bound],
      );
    if (changed)
      await database.sql(
        `INSERT INTO identity.audit (id, workspace_id, actor_id, action, subject_id) VALUES ('aud_' || $1::text, 'ws_1', $1, 'email.changed', $1)`,
        [id],
      );
  }
  await run(UNDER_TEST);
}, 60_000);
afterAll(() => database.close());

describe('the migration of addresses', () => {
  it('counts as proven what a mail or the provider proved, and nothing that was made without a mail host or changed since', async () => {
    const rows = await database.sql<{ id: string; address_state: string; verified: boolean }>(
      'SELECT id, address_state, email_verified_at IS NOT NULL AS verified FROM identity.users',
    );
    expect(Object.fromEntries(rows.map(({ id, address_state }) => [id, address_state]))).toEqual({
      usr_pending: 'pending',
      usr_without_mail_host: 'unproven',
      usr_link_opened: 'proven',
      usr_changed: 'unproven',
      usr_made_by_provider: 'proven',
      usr_bound_later: 'proven',
    });
    expect(rows.every(({ address_state, verified }) => verified === (address_state === 'proven'))).toBe(true);
  });

  it('drops password, sessions and keys only of accounts that were bound to the provider after they were made', async () => {
    const left = await database.sql<{ id: string }>(
      `SELECT u.id FROM identity.users u JOIN identity.sessions s ON s.user_id = u.id JOIN identity.api_keys k ON k.created_by = u.id
       WHERE u.password_hash IS NOT NULL AND s.ended_at IS NULL AND k.revoked_at IS NULL ORDER BY u.id`,
    );
    expect(left.map(({ id }) => id)).toEqual(
      Object.keys(ACCOUNTS)
        .filter((id) => id !== 'usr_bound_later')
        .sort(),
    );
    const [bound] = await database.sql(
      `SELECT u.password_hash, s.ended_at IS NOT NULL AS ended, k.revoked_at IS NOT NULL AS revoked FROM identity.users u
       JOIN identity.sessions s ON s.user_id = u.id JOIN identity.api_keys k ON k.created_by = u.id WHERE u.id = 'usr_bound_later'`,
    );
    expect(bound).toEqual({ password_hash: null, ended: true, revoked: true });
  });
});
