import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createDatabase, type TestDatabase } from '@tidemark/testkit';
import { inTransaction, isDatabaseUnavailable, openPool, retryWhileDatabaseUnavailable } from './postgres.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase();
}, 120_000);
afterAll(() => database.close());

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect(undefined).toBe('a failure'),
    (error: unknown) => error,
  );

describe('an unavailable database', () => {
  it('is distinguished from an invalid statement by the errors that the driver throws', async () => {
    const nowhere = openPool('postgresql://tidemark@127.0.0.1:1/none', 'identity');
    expect(isDatabaseUnavailable(await failureOf(nowhere.query('SELECT 1')))).toBe(true);
    await nowhere.end();

    const pool = openPool(database.url, 'identity');
    const cut = pool.query('SELECT pg_sleep(20)');
    const failed = failureOf(cut);
    await new Promise((resolve) => setImmediate(resolve));
    let error: unknown;
    void failed.then((caught) => {
      error = caught;
    });
    while (error === undefined) await database.cutConnections();
    expect(isDatabaseUnavailable(error)).toBe(true);

    for (const wrong of ['SELEC 1', 'SELECT * FROM nowhere', "SELECT 'x'::int", 'SELECT 1/0'])
      expect(isDatabaseUnavailable(await failureOf(pool.query(wrong)))).toBe(false);
    await pool.end();
  });

  it.each(['57P01', '57P02', '57P03', '08006', '08001', '53300', 'ECONNREFUSED', 'ECONNRESET', 'P1001', 'P1017'])(
    'is recognized by the code %s',
    (code) => expect(isDatabaseUnavailable(Object.assign(new Error('x'), { code }))).toBe(true),
  );

  it.each(['23505', '40P01', '42P01', 'P2002', 'P2025', ''])('is not indicated by the code %j', (code) =>
    expect(isDatabaseUnavailable(Object.assign(new Error('x'), { code }))).toBe(false),
  );
});

describe('a connection broken between two statements of a transaction', () => {
  it('fails the next statement and leaves the process and the pool usable', async () => {
    const pool = openPool(database.url, 'identity');
    const client = await pool.connect();
    await client.query('BEGIN');
    const broken = new Promise((resolve) => client.once('end', resolve));
    await database.cutConnections();
    await broken;
    expect(isDatabaseUnavailable(await failureOf(client.query('SELECT 1')))).toBe(true);
    client.release(true);
    await pool.query('SELECT 1');
    await pool.end();
  });
});

describe('a transaction', () => {
  it('is rolled back when it rejects, and its connection is used again', async () => {
    const pool = openPool(database.url, 'identity', 1);
    await pool.query('CREATE TEMP TABLE moves (n int)');
    const failing = inTransaction(pool, async (client) => {
      await client.query('INSERT INTO moves VALUES (1)');
      throw new Error('abort');
    });
    await expect(failing).rejects.toThrow('abort');
    await inTransaction(pool, (client) => client.query('INSERT INTO moves VALUES (2)'));
    expect((await pool.query('SELECT n FROM moves')).rows).toEqual([{ n: 2 }]);
    await pool.end();
  });

  it('rejects with the database error, and a broken connection is not used again', async () => {
    const pool = openPool(database.url, 'identity', 1);
    const failing = inTransaction(pool, async (client) => {
      await database.cutConnections();
      await client.query('SELECT 1');
    });
    expect(isDatabaseUnavailable(await failureOf(failing))).toBe(true);
    expect((await pool.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
    await pool.end();
  });
});

describe('an idempotent statement', () => {
  const connectionRefused = () => Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });

  it('is retried until the database is available again', async () => {
    let tries = 0;
    const result = await retryWhileDatabaseUnavailable(async () => {
      tries += 1;
      if (tries < 3) throw connectionRefused();
      return 'result';
    }, 5_000);
    expect([result, tries]).toEqual(['result', 3]);
  });

  it('is not retried after the time limit, nor after an error of the statement itself', async () => {
    await expect(retryWhileDatabaseUnavailable(() => Promise.reject(connectionRefused()), 50)).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
    let tries = 0;
    const wrong = retryWhileDatabaseUnavailable(async () => {
      tries += 1;
      throw new Error('syntax');
    }, 5_000);
    await expect(wrong).rejects.toMatchObject({ message: 'syntax' });
    expect(tries).toBe(1);
  });
});

describe('the pool of a service', () => {
  it('uses the service’s schema and remains usable after its idle connections were terminated', async () => {
    const pool = openPool(database.url, 'billing');
    expect((await pool.query('SELECT count(*)::int AS n FROM accounts')).rows).toEqual([{ n: 0 }]);
    await database.cutConnections();
    const { rows } = await retryWhileDatabaseUnavailable(() => pool.query('SELECT current_schema() AS s'), 5_000);
    expect(rows).toEqual([{ s: 'billing' }]);
    await pool.end();
  });
});
