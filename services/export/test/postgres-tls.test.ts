import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createGuard, makeDialTcp, parseAllowList } from '@tidemark/egress';
import { createDatabase, type TestDatabase } from '@tidemark/testkit';
import type { PostgresSettings } from '../src/destinations/postgres/open-client.ts';
import { PostgresDriver } from '../src/destinations/postgres/postgres-driver.ts';
import { attemptOf, planOf, rowOf, sourceOf, stepsOf } from './destination-contract.ts';
import { AUTHORITY } from './servers/localhost-certificate.ts';
import { startPostgresTls } from './servers/postgres-tls.ts';

let database: TestDatabase;
let settings: PostgresSettings;
let secure: Awaited<ReturnType<typeof startPostgresTls>>;

beforeAll(async () => {
  database = await createDatabase();
  const { port, username, password, pathname } = new URL(database.url);
  secure = await startPostgresTls(Number(port));
  settings = {
    host: 'localhost',
    port: secure.port,
    database: pathname.slice(1),
    user: username,
    schema: 'public',

    password: decodeURIComponent(password),
    tls: 'verify',
    ca: AUTHORITY,
  };
});
afterAll(async () => {
  secure.close();
  await database.close();
});

const driverOf = (more: Partial<PostgresSettings> = {}): PostgresDriver =>
  new PostgresDriver(
    { ...settings, ...more },
    makeDialTcp(createGuard({ allow: parseAllowList('localhost,127.0.0.1,::1') })),
  );
const write = (driver: PostgresDriver, plan = planOf()) => driver.write(plan, sourceOf([rowOf('a', 1)]), attemptOf());

describe('a PostgreSQL destination with TLS', () => {
  test('writes to a server whose certificate is for its name and signed by the given authority', async () => {
    expect((await stepsOf(driverOf())).every(({ ok }) => ok)).toBe(true);
    expect(await write(driverOf())).toMatchObject({ status: 'done', written: 1 });
  });

  test.each([
    ['for another name', { host: '127.0.0.1' }, 'the certificate is for another host name'],
    ['of an unknown authority', { ca: '' }, 'the certificate is not signed by a known authority'],
  ])('refuses a server with a certificate %s, and sends nothing to it', async (_, more, message) => {
    const before = secure.received.length;
    const steps = await stepsOf(driverOf(more));
    expect(steps.at(-1)).toMatchObject({ name: 'sign_in', ok: false, message: expect.stringContaining(message) });
    await expect(write(driverOf(more))).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining(message),
    });
    expect(secure.received.length).toBe(before);
  });

  test('refuses a server that has no TLS, and sends nothing to it', async () => {
    const plain = await startPostgresTls(Number(new URL(database.url).port), { plain: true });
    await expect(write(driverOf({ port: plain.port }))).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('TLS'),
    });
    expect(plain.received).toEqual([]);
    plain.close();
  });
});
