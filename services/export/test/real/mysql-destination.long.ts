import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createGuard, makeDialTcp, parseAllowList } from '@tidemark/egress';
import { until } from '@tidemark/testkit';
import mysql, { type Connection, type RowDataPacket } from 'mysql2/promise';
import { MysqlDriver } from '../../src/destinations/mysql/mysql-driver.ts';
import type { MysqlSettings } from '../../src/destinations/mysql/open-connection.ts';
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
import { describeServer } from '../servers/describe-server.ts';
import { startDroppingProxy } from '../servers/dropping-proxy.ts';
import { AUTHORITY, LOCALHOST_CERTIFICATE, LOCALHOST_KEY } from '../servers/localhost-certificate.ts';
import { PASSWORD, startMariadb } from '../servers/mariadb.ts';
import { startMysqlWithoutTls } from '../servers/mysql-without-tls.ts';
import type { RealServer } from '../servers/real-server.ts';
import { describeStalls } from '../stall-contract.ts';

const ACCOUNT = { user: 'tidemark', password: PASSWORD, database: 'tidemark' };

const files = mkdtempSync(join(tmpdir(), 'tm-tls-'));
writeFileSync(join(files, 'certificate.pem'), LOCALHOST_CERTIFICATE);
writeFileSync(join(files, 'key.pem'), LOCALHOST_KEY);
const OPTIONS = [
  `--ssl-cert=${join(files, 'certificate.pem')}`,
  `--ssl-key=${join(files, 'key.pem')}`,
  // Space for temporary tables, which a large sync exceeds.
  '--innodb-temp-data-file-path=ibtmp1:12M:autoextend:max:48M',
];
const startServer = () => startMariadb(OPTIONS);

await describeServer('MariaDB', startServer, (server: RealServer) => {
  let reader: Connection;
  const settings: MysqlSettings = { host: '127.0.0.1', port: server.port, ...ACCOUNT, tls: 'off', ca: '' };
  const openReader = () => mysql.createConnection({ host: '127.0.0.1', port: server.port, ...ACCOUNT, timezone: 'Z' });
  beforeAll(async () => {
    reader = await openReader();
  });
  afterAll(async () => {
    await reader.end();
    rmSync(files, { recursive: true, force: true });
  });

  const driverOf = (more: Partial<MysqlSettings> = {}, allow = '127.0.0.1'): MysqlDriver =>
    new MysqlDriver({ ...settings, ...more }, makeDialTcp(createGuard({ allow: parseAllowList(allow) })));

  /** A boolean is a number in MariaDB. */
  async function rowsOf(table: string): Promise<Record<string, unknown>[]> {
    const [found] = await reader.query<RowDataPacket[]>('SHOW TABLES LIKE ?', [table]);
    if (found.length === 0) return [];
    const [rows] = await reader.query<RowDataPacket[]>(`SELECT * FROM \`${table}\``);
    return rows.map(({ ...row }) => ({
      ...row,
      ...('ok' in row ? { ok: row['ok'] === null ? null : row['ok'] === 1 } : {}),
    }));
  }

  describeDestination('MariaDB', () => ({ driver: driverOf(), rowsOf }));
  describeColumns('MariaDB', () => ({ driver: driverOf(), rowsOf }));
  describeStalls('MariaDB', () => ({
    driver: driverOf(),
    rowsOf,
    driverAt: (port: number) => driverOf({ port }),
    port: server.port,

    transfer: 'LOAD DATA',
    commit: 'COMMIT',
  }));
  describeModel('MariaDB', () => ({ driver: driverOf(), rowsOf }));

  describe('a MariaDB destination', () => {
    test('leaves out a column of another type with a warning, and never changes the table of the user', async () => {
      const plan = planOf();
      await reader.query(
        `CREATE TABLE \`${plan.table}\` (_row_id char(64) PRIMARY KEY, url longtext, words date, note text)`,
      );
      await reader.query(`CREATE VIEW \`${plan.table}_view\` AS SELECT * FROM \`${plan.table}\``);
      const outcome = await driverOf().write(plan, sourceOf([rowOf('a', 1)]), attemptOf());
      expect(outcome.warnings).toEqual([expect.stringContaining('the column words of the table has the type date')]);
      expect(await rowsOf(plan.table)).toEqual([
        expect.objectContaining({ url: 'a', words: null, note: null, price: 1.5 }),
      ]);
    });

    test('stores values that differ only in trailing spaces or case as changes', async () => {
      const first = planOf();
      await driverOf().write(first, sourceOf([{ ...rowOf('x', 1), values: { url: 'a' } }]), attemptOf());
      for (const url of ['a ', 'A ']) {
        const plan = planOf({ table: first.table, runAt: new Date(Date.now()) });
        const row = { ...rowOf('x', 1), values: { url } };
        expect(await driverOf().write(plan, sourceOf([row]), attemptOf())).toMatchObject({ written: 1, unchanged: 0 });
        expect((await rowsOf(first.table)).map((stored) => stored['url'])).toEqual([url]);
      }
    });

    test('writes the same rows where the server does not allow LOAD DATA LOCAL', async () => {
      const admin = await mysql.createConnection({ host: '127.0.0.1', port: server.port, user: 'root' });
      await admin.query('SET GLOBAL local_infile = 0');
      try {
        const plan = planOf();
        const rows = Array.from({ length: 3_000 }, (_, index) => rowOf(`u'\\${index}\n`, index));
        expect(await driverOf().write(plan, sourceOf(rows), attemptOf())).toMatchObject({
          read: 3_000,
          written: 3_000,
        });
        const stored = await rowsOf(plan.table);
        expect(new Set(stored.map(({ url }) => url))).toEqual(new Set(rows.map(({ values }) => values['url'])));
      } finally {
        await admin.query('SET GLOBAL local_infile = 1');
        await admin.end();
      }
    });

    test('reports a wrong password as refused, and no message contains it', async () => {
      const driver = driverOf({ password: 'hunter2-wrong' });
      const steps = await stepsOf(driver);
      expect(steps.at(-1)).toMatchObject({
        name: 'sign_in',
        ok: false,
        message: expect.stringContaining('Access denied'),
      });
      const failure = await driver
        .write(planOf(), sourceOf([rowOf('a', 1)]), attemptOf())
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ kind: 'refused' });
      expect(JSON.stringify(steps) + String(failure)).not.toContain('hunter2');
    });

    test('is written over TLS to a server with a certificate for its name of the given authority, and to no other', async () => {
      const hosts = 'localhost,127.0.0.1,::1';
      const verified = { host: 'localhost', tls: 'verify', ca: AUTHORITY } as const;
      expect((await stepsOf(driverOf(verified, hosts))).every(({ ok }) => ok)).toBe(true);
      const write = (more: Partial<MysqlSettings>) =>
        driverOf({ ...verified, ...more }, hosts).write(planOf(), sourceOf([rowOf('a', 1)]), attemptOf());
      expect(await write({})).toMatchObject({ status: 'done', written: 1 });
      const refused = (message: string) => ({ kind: 'refused', message: expect.stringContaining(message) });
      await expect(write({ host: '127.0.0.1' })).rejects.toMatchObject(refused('for another host name'));
      await expect(write({ ca: '' })).rejects.toMatchObject(refused('not signed by a known authority'));
      const plain = await startMysqlWithoutTls(server.port);
      await expect(write({ port: plain.port })).rejects.toMatchObject(refused('TLS'));
      expect(plain.received()).toBe(0);
      plain.close();
    });

    test('changes nothing where the disk of the server is full, and is tried again', async () => {
      const first = planOf();
      await driverOf().write(first, sourceOf([rowOf('a', 1)]), attemptOf());
      const plan = planOf({ table: first.table, runAt: new Date(Date.now()) });
      const large = Array.from({ length: 400 }, (_, index) => rowOf(`u${index}-${'x'.repeat(200_000)}`, index));
      await expect(driverOf().write(plan, sourceOf(large), attemptOf())).rejects.toMatchObject({ kind: 'temporary' });
      expect((await rowsOf(first.table)).map((row) => [row['url'], row['words']])).toEqual([['a', 1]]);
      expect(await driverOf().write(plan, sourceOf([rowOf('a', 2)]), attemptOf())).toMatchObject({ written: 1 });
    });

    test('changes nothing where the right to write was revoked, and is refused', async () => {
      const first = planOf();
      await driverOf().write(first, sourceOf([rowOf('a', 1)]), attemptOf());
      const admin = await mysql.createConnection({ host: '127.0.0.1', port: server.port, user: 'root' });
      await admin.query('REVOKE ALL ON tidemark.* FROM tidemark@`%`');
      await admin.query('GRANT SELECT, CREATE, CREATE TEMPORARY TABLES ON tidemark.* TO tidemark@`%`');
      try {
        const plan = planOf({ table: first.table, runAt: new Date(Date.now()) });
        const failure = driverOf().write(plan, sourceOf([rowOf('a', 2)]), attemptOf());
        await expect(failure).rejects.toMatchObject({ kind: 'refused' });
      } finally {
        await admin.query('GRANT ALL ON tidemark.* TO tidemark@`%`');
        await admin.end();
      }
      expect((await rowsOf(first.table)).map((row) => row['words'])).toEqual([1]);
    });

    test('refuses an address that is not public before it connects', async () => {
      expect(await stepsOf(driverOf({}, ''))).toEqual([
        { name: 'address', ok: false, message: expect.stringContaining('the address is not allowed') },
      ]);
    });

    test('is written once where the response to COMMIT is lost and the sync is repeated', async () => {
      const proxy = await startDroppingProxy(server.port);
      const plan = planOf();
      const rows = sourceWithout(1, [rowOf('a', 1), rowOf('b', 1)]);
      proxy.dropAfter('COMMIT');
      await expect(driverOf({ port: proxy.port }).write(plan, rows, attemptOf())).rejects.toThrow();
      await until('the rows of the first attempt', async () => (await rowsOf(plan.table)).length === 2);
      expect(await driverOf().write(plan, rows, attemptOf())).toMatchObject({ read: 2, written: 2, skipped: 1 });
      expect(await rowsOf(plan.table)).toHaveLength(2);
      await proxy.close();
    });

    test('leaves the table as it was where the server is killed during a sync, and the sync can be repeated', async () => {
      const first = planOf();
      await driverOf().write(first, sourceOf([rowOf('a', 1)]), attemptOf());
      const plan = planOf({ table: first.table, runAt: new Date(Date.now()) });
      const killed = {
        async *read() {
          yield { rows: [rowOf('a', 2)], last: 1 };
          await server.kill('SIGKILL');
          yield { rows: [rowOf('b', 2)], last: 2 };
        },
      };
      await expect(driverOf().write(plan, killed, attemptOf())).rejects.toMatchObject({ kind: 'temporary' });
      await server.restart();
      reader = await openReader();
      expect((await rowsOf(first.table)).map((row) => [row['url'], row['words']])).toEqual([['a', 1]]);
      expect(await driverOf().write(plan, sourceOf([rowOf('a', 2)]), attemptOf())).toMatchObject({ written: 1 });
    }, 120_000);
  });
});
