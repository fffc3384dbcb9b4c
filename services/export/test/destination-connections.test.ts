import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectionsIn, type ExportServers, startExportServers } from './export-servers.ts';

let servers: ExportServers;
/** The database of the suite, as a user's PostgreSQL. */
let server: { host: string; port: string; database: string; user: string; tls: string };
let password: string;

beforeAll(async () => {
  servers = await startExportServers({ TIDEMARK_EGRESS_ALLOW: '127.0.0.1' });
  const url = new URL(servers.database.url);
  server = { host: url.hostname, port: url.port, database: url.pathname.slice(1), user: url.username, tls: 'off' };
  password = decodeURIComponent(url.password);
}, 120_000);
afterAll(() => servers.close());

const toPostgres = (config: object = {}) => ({
  provider: 'postgresql',
  configJson: JSON.stringify({ ...server, ...config }),
  secrets: { password },
});

describe('a connection to a database', () => {
  it('is tested step by step, and the test leaves nothing behind', async () => {
    const { create, test } = connectionsIn(servers);
    const { id } = await create(toPostgres());
    const { lastTest } = await test(id);
    expect(lastTest).toMatchObject({ ok: true, reason: 'upsert is supported' });
    expect(lastTest?.steps.map(({ name, ok }) => [name, ok])).toEqual([
      ['address', true],
      ['connect', true],
      ['sign_in', true],
      ['write', true],
      ['mode', true],
    ]);
    expect(await servers.database.sql(`SELECT FROM pg_class WHERE relname = '_tidemark_test'`)).toEqual([]);
  });

  it.each<[string, object, string, string]>([
    ['at an unknown port', { port: 9999 }, 'connect', 'no connection'],
    ['with a wrong user', { user: 'nobody_here' }, 'sign_in', 'password authentication failed'],
    ['with an unknown schema', { schema: 'nowhere' }, 'write', 'no schema has been selected'],
  ])('reports the step that failed %s, without the password', async (_, config, step, message) => {
    const { create, test } = connectionsIn(servers);
    const { id } = await create(toPostgres(config));
    const { lastTest } = await test(id);
    expect(lastTest?.steps.at(-1)).toMatchObject({ name: step, ok: false, message: expect.stringContaining(message) });
    expect(lastTest?.ok).toBe(false);
    expect(JSON.stringify(lastTest)).not.toContain(password);
  });

  it.each<[string, object]>([
    ['host', { host: 'db.example' }],
    ['port', { port: 5433 }],
    ['user', { user: 'another' }],
    ['database', { database: 'another' }],
    ['tls', { tls: 'verify' }],
  ])('requires the password again when %s changes, and does not use the stored one', async (name, change) => {
    const { create, update, open } = connectionsIn(servers);
    const { id } = await create(toPostgres());
    await expect(update(id, {}, change)).rejects.toMatchObject({
      code: 'validation',
      message: `secrets.password: is required: stored secrets are discarded when ${name} changes`,
    });
    await update(id, { secrets: { password: 'another' } }, change);
    expect(await open(id)).toMatchObject({ secrets: { password: 'another' } });
    await update(id, {}, { schema: 'reports' });
    expect(await open(id)).toMatchObject({ secrets: { password: 'another' } });
  });

  it('has secrets that open for its own server only: a row with another host cannot be opened', async () => {
    const { create, open } = connectionsIn(servers);
    const { id } = await create(toPostgres());
    const moved = JSON.stringify({ ...server, host: 'collector.example' });
    await servers.database.sql('UPDATE export.connections SET config = $2 WHERE id = $1', [id, moved]);
    await expect(open(id)).rejects.toMatchObject({ code: 'internal' });
  });

  it.each([
    ['host', 'http://db.example/'],
    ['host', 'db.example:5432'],
    ['host', 'a b'],
    ['host', '10.0.0.1'],
    ['host', '[::1]'],
    ['host', '169.254.169.254'],
    ['host', '::ffff:10.0.0.1'],
    ['port', '0'],
    ['port', '65536'],
    ['port', '5432 '],
    ['tls', 'maybe'],
    ['user', 'a\u0000b'],
    ['ca', 'a\u0007b'],
  ])('is refused with the %s %j, with an error that names the field', async (name, value) => {
    const { create } = connectionsIn(servers);
    await expect(create(toPostgres({ [name]: value }))).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringContaining(`config.${name}: `),
    });
  });
});
