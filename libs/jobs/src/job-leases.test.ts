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
  await database.sql('CREATE TABLE leased.idempotency_keys (job_id text, first_status text)');
  pool = openPool(database.url, 'leased');
}, 120_000);
beforeEach(async () => {
  await database.sql('TRUNCATE leased.jobs, leased.idempotency_keys');
  await database.sql(`INSERT INTO leased.jobs VALUES
    ('valid', 'running', 'one', now() + interval '15 seconds', 1), ('expired', 'running', 'one', now() - interval '1 second', 1),
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

describe('JobLeases', () => {
  it('lets one instance claim an expired lease, counts an attempt, and leaves valid leases unchanged', async () => {
    const claimed = await Promise.all(holders().map((leases) => leases.claimExpired(10, [])));
    expect(claimed.flat()).toEqual(['expired']);
    expect(await rowOf('expired')).toMatchObject({ attempts: 2, seconds: 15 });
    expect(await rowOf('valid')).toMatchObject({ owner: 'one', attempts: 1 });
  });

  it('does not claim excepted jobs', async () => {
    expect(await new JobLeases(pool, 'another').claimExpired(10, ['expired'])).toEqual([]);
  });

  it('renews and releases only leases of the owner and only while the job is running', async () => {
    const another = new JobLeases(pool, 'another');
    await another.retry('valid', 100);
    expect(await another.renew(['valid', 'expired', 'done'])).toEqual(new Set());
    expect((await rowOf('valid'))?.seconds).toBeLessThanOrEqual(15);
    const one = new JobLeases(pool, 'one');
    expect(await one.renew(['valid', 'expired', 'done'])).toEqual(new Set(['valid', 'expired']));
    await one.postpone('valid', 100);
    expect(await rowOf('valid')).toMatchObject({ attempts: 0, seconds: 100 });
  });
});

describe('IdempotencyKeys.recordFirstResponse', () => {
  it('records the first response once and returns what was recorded', async () => {
    const keys = new IdempotencyKeys(pool);
    await database.sql(`INSERT INTO leased.idempotency_keys VALUES ('open', NULL), ('ended', 'done')`);
    expect(await Promise.all(['open', 'open', 'ended', 'keyless'].map((id) => keys.recordFirstResponse(id)))).toEqual([
      'running',
      'running',
      'done',
      'running',
    ]);
  });
});
