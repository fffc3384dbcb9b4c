import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createGuard, makeDialTcp, parseAllowList } from '@tidemark/egress';
import { createDatabase, type TestDatabase, until } from '@tidemark/testkit';
import pg from 'pg';
import type { PostgresSettings } from '../src/destinations/postgres/open-client.ts';
import { PostgresDriver } from '../src/destinations/postgres/postgres-driver.ts';
import { describeColumns } from './column-contract.ts';
import {
  attemptOf,
  describeDestination,
  planOf,
  rowOf,
  sourceOf,
  sourceWithout,
  stepsOf,
} from './destination-contract.ts';
import { describeModel } from './destination-model.ts';
import { describeStalls } from './stall-contract.ts';

let database: TestDatabase;
let pool: pg.Pool;
let settings: PostgresSettings;

beforeAll(async () => {
  database = await createDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 2 });
  const { hostname, port, username, password, pathname } = new URL(database.url);
  settings = {
    host: hostname,
    port: Number(port),
    database: pathname.slice(1),
    user: username,
    schema: 'public',

    password: decodeURIComponent(password),
    tls: 'off',
    ca: '',
  };
});
afterAll(async () => {
  await pool.end();
  await database.close();
});

const driverOf = (more: Partial<PostgresSettings> = {}, allow = '127.0.0.1'): PostgresDriver =>
  new PostgresDriver({ ...settings, ...more }, makeDialTcp(createGuard({ allow: parseAllowList(allow) })));

async function rowsOf(table: string): Promise<Record<string, unknown>[]> {
  const { rows } = await pool.query<{ found: string | null }>('SELECT to_regclass($1) AS found', [`"${table}"`]);
  return rows[0]?.found == null ? [] : (await pool.query(`SELECT * FROM "${table}"`)).rows;
}

describeDestination('PostgreSQL', () => ({ driver: driverOf(), rowsOf }));
describeColumns('PostgreSQL', () => ({ driver: driverOf(), rowsOf }));
describeStalls('PostgreSQL', () => ({
  driver: driverOf(),
  rowsOf,
  driverAt: (port: number) => driverOf({ port }),
  port: settings.port,

  transfer: 'COPY ',
  commit: 'COMMIT\u0000',
}));
describeModel('PostgreSQL', () => ({ driver: driverOf(), rowsOf }), 8);

describe('a PostgreSQL destination', () => {
  test('leaves out a column of another type with a warning, and never changes the table of the user', async () => {
    const plan = planOf();
    await pool.query(`CREATE TABLE "${plan.table}" (url text, words boolean, note text)`);
    await pool.query(`CREATE VIEW "${plan.table}_view" AS SELECT * FROM "${plan.table}"`);
    await pool.query(`ALTER TABLE "${plan.table}" ADD COLUMN _row_id text PRIMARY KEY`);
    const outcome = await driverOf().write(plan, sourceOf([rowOf('a', 1)]), attemptOf());
    expect(outcome.warnings).toEqual([expect.stringContaining('the column words of the table has the type boolean')]);
    expect(await rowsOf(plan.table)).toEqual([
      expect.objectContaining({ url: 'a', words: null, note: null, price: 1.5 }),
    ]);
  });

  test('names the key that a table made by hand lacks, changes nothing, and writes once the stated command was run', async () => {
    const plan = planOf();
    await pool.query(`CREATE TABLE "${plan.table}" (url text, _row_id text)`);
    await pool.query(`CREATE UNIQUE INDEX ON "${plan.table}" (_row_id) WHERE url <> ''`);
    const write = () => driverOf().write(plan, sourceOf([rowOf('a', 1)]), attemptOf());
    const failure = await write().catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'invalid', message: expect.stringContaining('lacks the key _row_id') });
    expect((await pool.query(`SELECT * FROM "${plan.table}"`)).fields.map(({ name }) => name)).toEqual([
      'url',
      '_row_id',
    ]);
    const [, command = ''] = /Run (ALTER TABLE .*\(_row_id\)),/.exec(String(failure)) ?? [];
    await pool.query(command);
    expect(await write()).toMatchObject({ status: 'done', written: 1 });
  });

  test('appends to a table without a key', async () => {
    const plan = planOf({ mode: 'append' });
    await pool.query(`CREATE TABLE "${plan.table}" (url text)`);
    const outcome = await driverOf().write(plan, sourceOf([rowOf('a', 1)]), attemptOf());
    expect(outcome).toMatchObject({ status: 'done', written: 1 });
  });

  test('reports a wrong password as refused, and no message contains it', async () => {
    const driver = driverOf({ password: 'hunter2-wrong' });
    const steps = await stepsOf(driver);
    expect(steps.slice(2)).toEqual([
      { name: 'sign_in', ok: false, message: expect.stringContaining('password authentication failed') },
    ]);
    const failure = await driver
      .write(planOf(), sourceOf([rowOf('a', 1)]), attemptOf())
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'refused' });
    expect(JSON.stringify(steps) + String(failure)).not.toContain('hunter2');
  });

  test('refuses an address that is not public before it connects', async () => {
    const steps = await stepsOf(driverOf({}, ''));
    expect(steps).toEqual([
      { name: 'address', ok: false, message: expect.stringContaining('the address is not allowed') },
    ]);
  });

  test('ends within its time where the server accepts the connection and never answers', async () => {
    const accepted: Socket[] = [];
    const silent = createServer((socket) => void accepted.push(socket));
    const port = await listening(silent);
    const abort = AbortSignal.timeout(30_000);
    await expect(
      driverOf({ port, connectMs: 1_000 }).write(planOf(), sourceOf([rowOf('a', 1)]), attemptOf({ signal: abort })),
    ).rejects.toThrow();
    for (const socket of accepted) socket.destroy();
    silent.close();
  });

  test('is written once where the response to COMMIT is lost and the sync is repeated', async () => {
    const proxy = startProxy(Number(settings.port));
    const port = await listening(proxy.server);
    const plan = planOf();
    proxy.dropAfter('COMMIT\u0000');
    await expect(
      driverOf({ port }).write(plan, sourceWithout(1, [rowOf('a', 1), rowOf('b', 1)]), attemptOf()),
    ).rejects.toThrow();
    await until('the rows of the first attempt', async () => (await rowsOf(plan.table)).length === 2);
    expect(await driverOf().write(plan, sourceWithout(1, [rowOf('a', 1), rowOf('b', 1)]), attemptOf())).toMatchObject({
      read: 2,
      written: 2,
      skipped: 1,
    });
    expect(await rowsOf(plan.table)).toHaveLength(2);
    proxy.server.close();
  });
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** A TCP proxy that closes both connections when the server answers a statement that contains a text. */
function startProxy(target: number) {
  let text: string | undefined;
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    let isDropping = false;
    client.on('data', (data) => {
      if (text !== undefined && data.includes(text)) isDropping = true;
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (isDropping) client.destroy();
      else client.write(data);
    });
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('error', () => undefined);
      from.on('close', () => to.end());
    }
  });
  const dropAfter = (statement: string): void => {
    text = statement;
  };
  return { server, dropAfter };
}
