import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { createGuard, makeDialTcp, parseAllowList } from '@tidemark/egress';
import { needs } from '@tidemark/testkit/needs';
import { ClickhouseClient, type ClickhouseSettings } from '../../src/destinations/clickhouse/clickhouse-client.ts';
import { ClickhouseDriver } from '../../src/destinations/clickhouse/clickhouse-driver.ts';
import type { SyncPlan } from '../../src/destinations/driver.ts';
import { attemptOf, planOf, rowOf, sourceOf } from '../destination-contract.ts';
import { ACCOUNT, type ClickhouseServer, startClickhouse } from '../servers/clickhouse.ts';
import { describeServer } from '../servers/describe-server.ts';
import { fillDisk } from '../servers/fill-disk.ts';
import { mountSmallDisk } from '../servers/small-disk.ts';

const never = new AbortController().signal;
const dial = makeDialTcp(createGuard({ allow: parseAllowList('127.0.0.1') }));
/** Room for the engine and a table; the test fills it. */
const DISK_KB = 64 * 1024;

const settingsOf = ({ port }: ClickhouseServer): ClickhouseSettings => ({
  host: '127.0.0.1',
  port,
  database: 'tidemark',
  ...ACCOUNT,
  tls: 'off',
  ca: '',
});

async function rowsOf(server: ClickhouseServer, { table }: SyncPlan): Promise<unknown[]> {
  const client = new ClickhouseClient(settingsOf(server), dial);
  try {
    const rows = await client.query(`SELECT url, words FROM tidemark.\`${table}\` FINAL ORDER BY url`, never);
    return rows.map(({ url, words }) => [url, words]);
  } finally {
    await client.close();
  }
}

await describeServer(
  'ClickHouse',
  () => startClickhouse(),
  (server: ClickhouseServer) => {
    const driver = new ClickhouseDriver(settingsOf(server), dial);

    test('a sync to ClickHouse changes nothing where the right to write was revoked during it, and is refused', async () => {
      const first = planOf();
      await driver.write(first, sourceOf([rowOf('a', 1)]), attemptOf());
      const plan = planOf({ table: first.table, runAt: new Date() });
      const revoked = {
        async *read() {
          yield { rows: [rowOf('a', 2)], last: 1 };
          await server.allowWrites(false);
          yield { rows: [rowOf('b', 2)], last: 2 };
        },
      };
      await expect(driver.write(plan, revoked, attemptOf())).rejects.toMatchObject({
        kind: 'refused',
        message: expect.stringContaining('Cannot execute query in readonly mode'),
      });
      expect(await rowsOf(server, first)).toEqual([['a', 1]]);
      await server.allowWrites(true);
      expect(await driver.write(plan, sourceOf([rowOf('a', 2)]), attemptOf())).toMatchObject({ written: 1 });
      expect(await rowsOf(server, first)).toEqual([['a', 2]]);
    });
  },
);

const disk = mountSmallDisk(DISK_KB);
// After the server on it has ended.
afterAll(() => disk?.close());
if (disk === undefined) needs('mount', false, () => test('a full disk of ClickHouse', () => undefined));
else
  await describeServer(
    'ClickHouse on a small disk',
    () => startClickhouse(disk.path),
    (server: ClickhouseServer) => {
      const driver = new ClickhouseDriver(settingsOf(server), dial);

      test('a sync to ClickHouse changes nothing where the disk of the server is full, and is tried again', async () => {
        const first = planOf();
        await driver.write(first, sourceOf([rowOf('a', 1)]), attemptOf());
        const plan = planOf({ table: first.table, runAt: new Date() });
        const filler = join(disk.path, 'filler');
        const full = {
          async *read() {
            yield { rows: [rowOf('a', 2)], last: 1 };
            fillDisk(filler);
            yield { rows: [rowOf('b', 2)], last: 2 };
          },
        };
        await expect(driver.write(plan, full, attemptOf())).rejects.toMatchObject({
          kind: 'temporary',
          message: expect.stringMatching(/No space left on device|NOT_ENOUGH_SPACE/),
        });
        rmSync(filler);
        expect(await rowsOf(server, first)).toEqual([['a', 1]]);
        expect(await driver.write(plan, sourceOf([rowOf('a', 2)]), attemptOf())).toMatchObject({ written: 1 });
        expect(await rowsOf(server, first)).toEqual([['a', 2]]);
      });
    },
  );
