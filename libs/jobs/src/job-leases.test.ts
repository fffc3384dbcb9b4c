import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openPool } from '@tidemark/service';
import { createDatabase, type TestDatabase } from '@tidemark/testkit';
import { IdempotencyKeys } from './idempotency-keys.ts';
import { JobLeases } from './job-leases.ts';

let database: TestDatabase;
let pool: ReturnType<typeof openPool>;
const holders = () => ['one', 'another'].map((owner) => new JobLeases(pool, owner));
beforeAll(async () => {
  database = await createDatabase();
  await database.sql('CREATE SCHEMA leased');
  await database.sql(
    'CREATE TABLE leased.jobs (id text PRIMARY KEY, status text, owner text, lease_until timestamptz, attempts int)',
  );
  await database.sql('CREATE TABLE leased.idempotency_keys (job_id text, answered text)');
  pool = openPool(database.url, 'leased');
}, 120_000);
beforeEach(async () => {
  await database.sql('TRUNCATE leased.jobs, leased.idempotency_keys');
  await database.sql(`INSERT INTO leased.jobs VALUES
    ('kept', 'running', 'one', now() + interval '15 seconds', 1), ('silent', 'running', 'one', now() - interval '1 second', 1),
    ('done', 'done', 'one', now() - interval '1 second', 1)`);
});
afterAll(async () => {
  await pool.end();
  await database.close();
});

const rowOf = async (id: string) =>
  (
    await database.sql<{ owner: string; attempts: number; seconds: number }>(
      'SELECT owner, attempts, round(extract(epoch FROM lease_until - now()))::int AS seconds FROM leased.jobs WHERE id = $1',
      [id],
    )
  )[0];

describe('a job’s lease', () => {
  it('that has run out is taken by one process, which has made an attempt more; one that holds is not', async () => {
    const taken = await Promise.all(holders().map((leases) => leases.takeOver(10, [])));
    expect(taken.flat()).toEqual(['silent']);
    expect(await rowOf('silent')).toMatchObject({ attempts: 2, seconds: 15 });
    expect(await rowOf('kept')).toMatchObject({ owner: 'one', attempts: 1 });
  });

  it('is not taken by a process whose attempt at the job has not stopped', async () => {
    expect(await new JobLeases(pool, 'another').takeOver(10, ['silent'])).toEqual([]);
  });

  it('is renewed and given up by its owner alone, and not once the job has ended', async () => {
    const another = new JobLeases(pool, 'another');
    await another.release('kept', 100);
    expect(await another.renew(['kept', 'silent', 'done'])).toEqual(new Set());
    expect((await rowOf('kept'))?.seconds).toBeLessThanOrEqual(15);
    const one = new JobLeases(pool, 'one');
    expect(await one.renew(['kept', 'silent', 'done'])).toEqual(new Set(['kept', 'silent']));
    await one.release('kept', 100, true);
    expect(await rowOf('kept')).toMatchObject({ attempts: 0, seconds: 100 });
  });
});

describe('how a first answer left', () => {
  it('is written once: what came first stays, and who comes second is told', async () => {
    const keys = new IdempotencyKeys(pool);
    await database.sql(`INSERT INTO leased.idempotency_keys VALUES ('left', NULL), ('ended', 'done')`);
    expect(await Promise.all(['left', 'left', 'ended', 'keyless'].map((id) => keys.markAnswered(id)))).toEqual([
      'running',
      'running',
      'done',
      'running',
    ]);
  });
});
