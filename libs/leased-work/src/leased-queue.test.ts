import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { column, type Params, Schema, sql } from '@tidemark/sql';
import { createDatabase, type TestDatabase } from '@tidemark/testkit';
import pg from 'pg';
import { ATTEMPT_POLICIES, MAX_INTERRUPTIONS } from './attempt-policy.ts';
import { fencedBy, unfenced } from './fence.ts';
import { LeasedQueue } from './leased-queue.ts';

const schema = new Schema();

const queue = new LeasedQueue({
  schema,
  name: 'separate',
  table: 'separate',
  key: ['id'],
  times: { kind: 'separate', dueAt: 'due_at', leaseUntil: 'lease_until' },
  fence: fencedBy('owner'),
  attempts: 'attempts',
  interruptions: 'interruptions',
  leaseSeconds: 30,
  policy: ATTEMPT_POLICIES.jobs,
  suspects: 'one',
  columns: { id: column('text'), attempts: column('int4'), interruptions: column('int4') },
});
const RETRY = queue.retry('retry');
const POSTPONE = queue.postpone('postpone');
const PROGRESS = queue.progress('progress', ({ note }: Params<{ readonly note: string }>) => sql`note = ${note}`);
const END = queue.end('end', ({ note }: Params<{ readonly note: string }>) => sql`note = ${note}`);

const byHost = new LeasedQueue({
  schema,
  name: 'shared',
  table: 'shared',
  key: ['project', 'at'],
  times: { kind: 'shared', at: 'next_at', whenNull: 'due' },
  fence: fencedBy('owner'),
  attempts: 'attempts',
  leaseSeconds: 15,
  policy: ATTEMPT_POLICIES.jobs,
  isOpen: sql`status <> 'done'`,
  mayBeClaimed: ({ host }: Params<{ readonly host: string }>) => sql`host = ${host}`,
  order: sql`project, at`,
  onClaim: sql`status = 'running'`,
  onRelease: sql`status = 'queued'`,
  columns: { project: column('text'), at: column('int4') },
});

/** Rows of workspaces that take turns, two at a time of one workspace, one of each site. */
const fair = new LeasedQueue({
  schema,
  name: 'fair',
  table: 'fair',
  key: ['id'],
  times: { kind: 'shared', at: 'next_at', whenNull: 'due' },
  fence: fencedBy('owner'),
  leaseSeconds: 15,
  policy: ATTEMPT_POLICIES.jobs,
  columns: { id: column('text') },
});
const CLAIM_FAIRLY = fair.claimStatement('claim-fairly', ({ limit }: Params<{ readonly limit: number }>) =>
  fair.fairPick(
    {
      workspace: 'workspace',
      order: sql`id`,
      first: sql`site = 'urgent'`,
      ties: [sql`id`],
      maxPerWorkspace: 2,
      oneEach: { column: 'site', order: sql`id` },
    },
    limit,
  ),
);

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await createDatabase();
  pool = new pg.Pool({ connectionString: database.url });
  await pool.query(`CREATE TABLE separate (id text PRIMARY KEY, owner text, lease_until timestamptz, due_at timestamptz DEFAULT now(),
    attempts int DEFAULT 0, interruptions int DEFAULT 0, note text)`);
  await pool.query(
    'CREATE TABLE fair (id text PRIMARY KEY, workspace text, site text, owner text, next_at timestamptz)',
  );
  await pool.query(`CREATE TABLE shared (project text, at int, host text, status text DEFAULT 'queued', owner text, next_at timestamptz,
    attempts int DEFAULT 0, PRIMARY KEY (project, at))`);
}, 120_000);
beforeEach(async () => {
  await pool.query('TRUNCATE separate, shared, fair');
});
afterAll(async () => {
  await pool.end();
  await database.close();
});

const add = (...ids: readonly string[]) =>
  pool.query(
    'INSERT INTO separate (id, due_at) SELECT id, now() - make_interval(secs => 100 - n) FROM unnest($1::text[]) WITH ORDINALITY AS t(id, n)',
    [ids],
  );
const rowOf = async (id: string) =>
  (await pool.query('SELECT *, due_at > now() AS waits FROM separate WHERE id = $1', [id])).rows[0];
const expire = () =>
  pool.query(`UPDATE separate SET lease_until = now() - interval '1 second' WHERE lease_until IS NOT NULL`);
const claim = async (owner: string, limit = 10) =>
  (await queue.claim(pool, { owner, limit })).map(({ id }) => id).sort();

describe('a leased queue', () => {
  it('gives each due row to one of several concurrent claims, the longest due first', async () => {
    await add('a', 'b', 'c', 'd');
    await pool.query(`INSERT INTO separate (id, due_at) VALUES ('later', now() + interval '1 hour'), ('ended', NULL)`);
    const claims = await Promise.all(['one', 'two', 'three'].map((owner) => claim(owner, 1)));
    expect(new Set(claims.flat()).size).toBe(claims.flat().length);
    expect(claims.flat().every((id) => ['a', 'b', 'c'].includes(id))).toBe(true);
    expect((await claim('four')).length).toBe(4 - claims.flat().length);
    expect(await claim('five')).toEqual([]);
  });

  it('changes a row only under the fence of the current claim', async () => {
    await add('a');
    await claim('first');
    await expire();
    await claim('second');
    for (const statement of [RETRY, POSTPONE])
      expect(await statement.changesRow(pool, { id: 'a', owner: 'first', seconds: 0 })).toBe(false);
    for (const statement of [PROGRESS, END])
      expect(await statement.changesRow(pool, { id: 'a', owner: 'first', note: 'x' })).toBe(false);
    expect(await queue.renew(pool, { owner: 'first', keys: ['a'] })).toEqual(new Set());
    expect(await queue.renew(pool, { owner: 'second', keys: ['a'] })).toEqual(new Set(['a']));
    expect(await END.changesRow(pool, { id: 'a', owner: 'second', note: 'done' })).toBe(true);
    expect(await rowOf('a')).toMatchObject({ owner: null, lease_until: null, due_at: null, note: 'done' });
  });

  it('counts a failed attempt, and does not count one that is postponed', async () => {
    await add('failed', 'postponed');
    await claim('me');
    expect(await RETRY.changesRow(pool, { id: 'failed', owner: 'me', seconds: 60 })).toBe(true);
    expect(await POSTPONE.changesRow(pool, { id: 'postponed', owner: 'me', seconds: 60 })).toBe(true);
    expect(await rowOf('failed')).toMatchObject({ attempts: 1, owner: null, lease_until: null, waits: true });
    expect(await rowOf('postponed')).toMatchObject({ attempts: 0, owner: null, lease_until: null, waits: true });
  });

  it('counts interruptions in a row: an expired lease adds one, progress and a release start again', async () => {
    await add('a');
    for (let interruptions = 0; interruptions < MAX_INTERRUPTIONS; interruptions += 1) {
      expect(await queue.claim(pool, { owner: 'me', limit: 1 })).toMatchObject([{ interruptions }]);
      await expire();
    }
    expect(await queue.claim(pool, { owner: 'me', limit: 1 })).toMatchObject([{ interruptions: MAX_INTERRUPTIONS }]);
    await PROGRESS.changesRow(pool, { id: 'a', owner: 'me', note: 'on' });
    expect(await rowOf('a')).toMatchObject({ interruptions: 0 });
    await expire();
    await queue.claim(pool, { owner: 'me', limit: 1 });
    await RETRY.changesRow(pool, { id: 'a', owner: 'me', seconds: 0 });
    expect(await queue.claim(pool, { owner: 'me', limit: 1 })).toMatchObject([{ interruptions: 0 }]);
  });

  it('claims rows that were interrupted twice in a row one at a time, beside the others', async () => {
    await add('suspect-1', 'suspect-2', 'fine-1', 'fine-2');
    await pool.query(
      `UPDATE separate SET interruptions = 2, owner = 'dead', lease_until = now() - interval '1 second' WHERE id LIKE 'suspect%'`,
    );
    expect(await claim('me')).toEqual(['fine-1', 'fine-2', 'suspect-1']);
    expect(await claim('me')).toEqual(['suspect-2']);
  });

  it('claims by a key of two columns, a filter and a shared column of times', async () => {
    await pool.query(
      `INSERT INTO shared (project, at, host) VALUES ('p', 1, 'a'), ('p', 2, 'b'), ('q', 1, 'a'), ('r', 1, 'a')`,
    );
    expect(await byHost.claim(pool, { owner: 'me', limit: 2, host: 'a' })).toEqual([
      { project: 'p', at: 1 },
      { project: 'q', at: 1 },
    ]);
    expect(await byHost.claim(pool, { owner: 'me', limit: 2, host: 'a' })).toEqual([{ project: 'r', at: 1 }]);
    const release = byHost.postpone('release-shared');
    expect(await release.changesRow(pool, { project: 'q', at: 1, owner: 'other', seconds: 0 })).toBe(false);
    expect(await release.changesRow(pool, { project: 'q', at: 1, owner: 'me', seconds: -1 })).toBe(true);
    expect(await byHost.claim(pool, { owner: 'me', limit: 2, host: 'a' })).toEqual([{ project: 'q', at: 1 }]);
  });

  it('lets workspaces take turns, with a limit for each and one row of each value of a column', async () => {
    await pool.query(`INSERT INTO fair (id, workspace, site) VALUES
      ('a1', 'a', 's1'), ('a2', 'a', 's2'), ('a3', 'a', 's2'), ('a4', 'a', 's3'), ('b1', 'b', 's4'), ('b2', 'b', 's5'), ('c1', 'c', 'urgent')`);
    const next = async (limit: number) =>
      (await CLAIM_FAIRLY.rows(pool, { owner: 'me', limit })).map(({ id }) => id).sort();
    expect(await next(2)).toEqual(['a1', 'c1']);
    expect(await next(2)).toEqual(['a2', 'b1']);
    // Workspace `a` holds two, and a3 is of a site in progress.
    expect(await next(10)).toEqual(['b2']);
    await pool.query(`UPDATE fair SET next_at = now() - interval '1 second' WHERE id IN ('a2', 'b1')`);
    expect(await next(10)).toEqual(['a2', 'b1']);
  });

  it('refuses a description that would let a poison row end more than five processes', () => {
    const make = () =>
      new LeasedQueue({
        schema,
        name: 'many',
        table: 'many',
        key: ['id'],
        times: { kind: 'shared', at: 'next_at', whenNull: 'never_due' },
        fence: unfenced('a test'),
        attempts: 'attempts',
        leaseSeconds: 15,
        policy: ATTEMPT_POLICIES['diff.records'],
        columns: { id: column('text') },
      });
    expect(make).toThrow('counts no interruptions');
  });
});
