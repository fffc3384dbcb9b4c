import { describe, expect, test } from '@jest/globals';
import { createGuard, makeDialTcp, parseAllowList } from '@tidemark/egress';
import { ClickhouseClient, type ClickhouseSettings } from '../../src/destinations/clickhouse/clickhouse-client.ts';
import { ClickhouseDriver } from '../../src/destinations/clickhouse/clickhouse-driver.ts';
import { toSyncFailure } from '../../src/sync/sync-failure.ts';
import { describeColumns } from '../column-contract.ts';
import {
  attemptOf,
  describeDestination,
  planOf,
  rowOf,
  sourceOf,
  sourceWithout,
  stepsOf,
} from '../destination-contract.ts';
import { describeModel } from '../destination-model.ts';
import { ACCOUNT, startClickhouse } from '../servers/clickhouse.ts';
import { describeServer } from '../servers/describe-server.ts';
import { startDroppingProxy } from '../servers/dropping-proxy.ts';
import { AUTHORITY } from '../servers/localhost-certificate.ts';
import type { RealServer } from '../servers/real-server.ts';
import { startTlsProxy } from '../servers/tls-proxy.ts';

const never = new AbortController().signal;

await describeServer(
  'ClickHouse',
  () => startClickhouse(),
  (server: RealServer) => {
    const settings: ClickhouseSettings = {
      host: '127.0.0.1',
      port: server.port,
      database: 'tidemark',
      ...ACCOUNT,
      tls: 'off',
      ca: '',
    };
    const dialOf = (allow: string) => makeDialTcp(createGuard({ allow: parseAllowList(allow) }));
    const driverOf = (more: Partial<ClickhouseSettings> = {}, allow = '127.0.0.1') =>
      new ClickhouseDriver({ ...settings, ...more }, dialOf(allow));

    async function query(sql: string): Promise<Record<string, unknown>[]> {
      const client = new ClickhouseClient(settings, dialOf('127.0.0.1'));
      try {
        return await client.query(sql, never);
      } finally {
        await client.close();
      }
    }

    /** Times and JSON are texts in the responses. */
    async function rowsOf(table: string): Promise<Record<string, unknown>[]> {
      const found = await query(`SELECT name FROM system.tables WHERE database = 'tidemark' AND name = '${table}'`);
      if (found.length === 0) return [];
      const rows = await query(`SELECT * FROM tidemark.\`${table}\` FINAL`);
      const timeOf = (value: unknown) => (typeof value === 'string' ? new Date(`${value.replace(' ', 'T')}Z`) : value);
      return rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => {
            if (name === 'at' || name.endsWith('_at')) return [name, timeOf(value)];
            if (name === 'extra' || name === 'json')
              return [name, typeof value === 'string' ? JSON.parse(value) : value];
            return [name, value];
          }),
        ),
      );
    }

    describeDestination('ClickHouse', () => ({ driver: driverOf(), rowsOf }));
    describeColumns('ClickHouse', () => ({ driver: driverOf(), rowsOf }));
    describeModel('ClickHouse', () => ({ driver: driverOf(), rowsOf }), 8);

    describe('a ClickHouse destination', () => {
      test('leaves out a column of another type with a warning', async () => {
        const first = planOf();
        await driverOf().write(first, sourceOf([rowOf('a', 1)]), attemptOf());
        const client = new ClickhouseClient(settings, dialOf('127.0.0.1'));
        await client.run(`ALTER TABLE tidemark.${first.table} ADD COLUMN note Date`, never);
        await client.close();
        const columns = [...first.columns, { name: 'note', type: 'text', isNullable: true, description: '' } as const];
        const plan = planOf({ table: first.table, columns, runAt: new Date() });
        const outcome = await driverOf().write(plan, sourceOf([rowOf('a', 2)]), attemptOf());
        expect(outcome.warnings).toEqual([expect.stringContaining('the column note of the table has the type Date')]);
        expect((await rowsOf(first.table)).map((row) => row['words'])).toEqual([2]);
      });

      test('reports a wrong password as refused, and no message contains it', async () => {
        const driver = driverOf({ password: 'hunter2-wrong' });
        const steps = await stepsOf(driver);
        expect(steps.at(-1)).toMatchObject({ name: 'sign_in', ok: false });
        const failure = await driver
          .write(planOf(), sourceOf([rowOf('a', 1)]), attemptOf())
          .catch((error: unknown) => error);
        expect(failure).toMatchObject({ kind: 'refused' });
        expect(JSON.stringify(steps) + String(failure)).not.toContain('hunter2');
      });

      test('refuses an address that is not public before it connects', async () => {
        expect(await stepsOf(driverOf({}, ''))).toEqual([
          { name: 'address', ok: false, message: expect.stringContaining('the address is not allowed') },
        ]);
      });

      test.each([
        ['the ledger entry before the merge', '"is_done":0'],
        ['the merge', 'LEFT JOIN'],
        ['the last ledger entry', '"is_done":1'],
      ])(
        'has the rows once, and the first counts, where the response to %s is lost and the sync is repeated',
        async (_, text) => {
          const proxy = await startDroppingProxy(server.port);
          const plan = planOf();
          const rows = sourceWithout(1, [rowOf('a', 1), rowOf('b', 1)]);
          proxy.dropAfter(text);
          await expect(driverOf({ port: proxy.port }).write(plan, rows, attemptOf())).rejects.toThrow();
          expect(await driverOf().write(plan, rows, attemptOf())).toMatchObject({ read: 2, written: 2, skipped: 1 });
          expect((await rowsOf(plan.table)).map(({ url }) => url).sort()).toEqual(['a', 'b']);
          await proxy.close();
        },
      );

      test('is written over TLS to a server with a certificate for its name of the given authority, and to no other', async () => {
        const secure = await startTlsProxy(server.port);
        const verified = { host: 'localhost', port: secure.port, tls: 'verify', ca: AUTHORITY } as const;
        const hosts = 'localhost,127.0.0.1,::1';
        expect((await stepsOf(driverOf(verified, hosts))).every(({ ok }) => ok)).toBe(true);
        const write = (more: Partial<ClickhouseSettings>) =>
          driverOf({ ...verified, ...more }, hosts).write(planOf(), sourceOf([rowOf('a', 1)]), attemptOf());
        expect(await write({})).toMatchObject({ status: 'done', written: 1 });
        const before = secure.received();
        for (const [more, message] of [
          [{ host: '127.0.0.1' }, 'the certificate is for another host name'],
          [{ ca: '' }, 'the certificate is not signed by a known authority'],
          [{ port: server.port }, 'does not respond in TLS'],
        ] as const) {
          const failure = await write(more).catch((error: unknown) => error);
          expect(failure).toMatchObject({ message: expect.stringContaining(message) });
          expect(toSyncFailure(failure, [])).toMatchObject({ code: 'refused' });
        }
        expect(secure.received()).toBe(before);
        secure.close();
      });

      test('leaves no staging table behind', async () => {
        const staged = () =>
          query("SELECT name FROM system.tables WHERE database = 'tidemark' AND name LIKE '%staged%'");
        const before = await staged();
        await driverOf().write(planOf(), sourceOf([rowOf('a', 1)]), attemptOf());
        expect(await staged()).toEqual(before);
      });
    });
  },
);
