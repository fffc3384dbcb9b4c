import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createGuard, makeDialTcp, parseAllowList } from '@tidemark/egress';
import { createDatabase, sharedServers, type TestDatabase } from '@tidemark/testkit';
import { needs } from '@tidemark/testkit/needs';
import pg from 'pg';
import type { SyncPlan } from '../../src/destinations/driver.ts';
import { PostgresDriver } from '../../src/destinations/postgres/postgres-driver.ts';
import { attemptOf, planOf, rowOf, sourceOf } from '../destination-contract.ts';
import { fillDisk } from '../servers/fill-disk.ts';
import { mountSmallDisk } from '../servers/small-disk.ts';

const disk = mountSmallDisk(16 * 1024);
const TABLESPACE = `small_${process.pid}`;

let database: TestDatabase;
let driver: PostgresDriver;

beforeAll(async () => {
  database = await createDatabase();
  const { hostname, port, username, password, pathname } = new URL(database.url);
  const name = pathname.slice(1);
  const settings = {
    host: hostname,
    port: Number(port),
    database: name,
    user: username,
    schema: 'public',
    ...({ password: decodeURIComponent(password), tls: 'off', ca: '' } as const),
  };
  driver = new PostgresDriver(settings, makeDialTcp(createGuard({ allow: parseAllowList('127.0.0.1') })));
  if (disk === undefined) return;
  await asAdmin(`CREATE TABLESPACE ${TABLESPACE} OWNER "${username}" LOCATION '${disk.path}'`);
});
afterAll(async () => {
  await database.close();
  if (disk === undefined) return;
  await asAdmin(`DROP TABLESPACE ${TABLESPACE}`);
  disk.close();
});

async function asAdmin(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: (await sharedServers()).database.adminUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

const rowsOf = async ({ table }: SyncPlan): Promise<unknown[]> =>
  (await database.sql<{ url: string; words: number }>(`SELECT url, words FROM "${table}" ORDER BY url`)).map(
    ({ url, words }) => [url, words],
  );

describe('a PostgreSQL destination', () => {
  needs('mount', disk !== undefined, () =>
    test.each([
      ['of its tables', 'default_tablespace'],
      ['of the staged rows', 'temp_tablespaces'],
    ])('changes nothing where the disk %s is full, and is tried again', async (_, setting) => {
      const { pathname } = new URL(database.url);
      await database.sql(`ALTER DATABASE "${pathname.slice(1)}" SET ${setting} = '${TABLESPACE}'`);
      const first = planOf();
      await driver.write(first, sourceOf([rowOf('a', 1)]), attemptOf());
      const plan = planOf({ table: first.table, runAt: new Date() });
      const filler = join(disk?.path ?? '', 'filler');
      const large = Array.from({ length: 2_000 }, (_row, index) => rowOf(`b${index}`, 2));
      const full = {
        async *read() {
          yield { rows: [rowOf('a', 2)], last: 1 };
          fillDisk(filler);
          yield { rows: large, last: large.length + 1 };
        },
      };
      await expect(driver.write(plan, full, attemptOf())).rejects.toMatchObject({
        kind: 'temporary',
        message: expect.stringContaining('No space left on device'),
      });
      rmSync(filler);
      expect(await rowsOf(first)).toEqual([['a', 1]]);
      expect(await driver.write(plan, sourceOf([rowOf('a', 2)]), attemptOf())).toMatchObject({ written: 1 });
      expect(await rowsOf(first)).toEqual([['a', 2]]);
      await database.sql(`ALTER DATABASE "${pathname.slice(1)}" RESET ${setting}`);
    }),
  );

  test('changes nothing where another transaction has locked its table, and is tried again', async () => {
    const first = planOf();
    await driver.write(first, sourceOf([rowOf('a', 1)]), attemptOf());
    const plan = planOf({ table: first.table, runAt: new Date() });
    const owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
    await owner.query('BEGIN');
    await owner.query(`LOCK TABLE "${first.table}" IN ACCESS EXCLUSIVE MODE`);
    const failure = await driver.write(plan, sourceOf([rowOf('a', 2)]), attemptOf()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'temporary', message: expect.stringContaining('lock timeout') });
    await owner.end();
    expect(await rowsOf(first)).toEqual([['a', 1]]);
    expect(await driver.write(plan, sourceOf([rowOf('a', 2)]), attemptOf())).toMatchObject({ written: 1 });
  });

  test.each([
    ['dropped', 'DROP COLUMN words', []],
    [
      'retyped',
      'ALTER COLUMN words TYPE boolean USING true',
      [expect.stringContaining('the column words of the table')],
    ],
  ])('writes its rows where the user has %s a column', async (_, change, warnings) => {
    const first = planOf();
    await driver.write(first, sourceOf([rowOf('a', 1)]), attemptOf());
    await database.sql(`ALTER TABLE "${first.table}" ${change}`);
    const plan = planOf({ table: first.table, runAt: new Date() });
    const outcome = await driver.write(plan, sourceOf([rowOf('b', 2)]), attemptOf());
    expect(outcome).toMatchObject({ status: 'done', written: 1, warnings });
    const urls = await database.sql<{ url: string }>(`SELECT url FROM "${first.table}" ORDER BY url`);
    expect(urls.map(({ url }) => url)).toEqual(['a', 'b']);
  });
});
