import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { AppError } from '@tidemark/errors';
import { createLogger, openPool } from '@tidemark/service';
import { type Ground, layGround, newWorkspace, until } from '@tidemark/testkit';
import type pg from 'pg';
import { RecordBuilder } from '../src/build-record/record-builder.ts';
import { ReleaseGuard } from '../src/build-record/release-guard.ts';
import { DiscardStore } from '../src/store/discard-store.ts';
import { KnownPageStore } from '../src/store/known-page-store.ts';
import { RecapturedPageStore } from '../src/store/recaptured-page-store.ts';
import { RecordStore } from '../src/store/record-store.ts';
import { ReleaseStore } from '../src/store/release-store.ts';
import { VolatilityJobStore } from '../src/store/volatility-job-store.ts';
import { type FakePeers, type FakeRun, startFakePeers } from './fake-peers.ts';

let ground: Ground;
let fleet: FakePeers;
let pool: pg.Pool;
let records: RecordStore;
let maker: RecordBuilder;
beforeAll(async () => {
  ground = await layGround();
  fleet = ground.own(await startFakePeers());
  pool = openPool(ground.database.url, 'diff', 8);
  ground.own({ close: () => pool.end() });
  records = new RecordStore(pool, randomUUID);
  const releases = new ReleaseStore(pool);
  maker = new RecordBuilder({
    pool,
    records,
    knownPages: new KnownPageStore(pool),
    recapturedPages: new RecapturedPageStore(pool),
    releaseGuard: new ReleaseGuard({ releases, release: '', log: createLogger('test', 'silent') }),
    volatilityJobs: new VolatilityJobStore(pool, randomUUID),
    recaptureDelaySeconds: 3_600,
    archive: fleet.peer,
    crawl: fleet.peer,
    scrape: fleet.peer,
    compare: async () => ({
      blocks: [],
      fields: [],
      wordsAdded: 0,
      wordsRemoved: 0,
      isReordered: false,
      isDegraded: false,
    }),
    publish: () => undefined,
    now: () => new Date(),
    log: createLogger('test', 'silent'),
  });
}, 60_000);
afterAll(() => ground.close());
afterEach(() => {
  fleet.unlistedPages = 0;
  fleet.blockers.run = fleet.blockers.look = async () => undefined;
});

const HOME = 'https://site.test/';
const pages = (...paths: string[]) => paths.map((path) => ({ url: `${HOME}${path}`, texts: [`It says ${path}.`] }));

/** Returns a project whose finished runs have records to build. */
function newProject() {
  const [workspaceId, projectId] = [newWorkspace(), newId('prj')];
  const note = async (more: Pick<FakeRun, 'pages' | 'config'>): Promise<string> => {
    const run = { id: newId('run'), workspaceId, projectId, ...more };
    fleet.add(run);
    const said = { runId: run.id, workspaceId, projectId, trigger: 'api', status: 'done', stop: 'finished' };
    await records.enqueue([RunFinished.fromPartial({ ...said, finishedAt: new Date(), pages: run.pages.length })]);
    return run.id;
  };
  return { workspaceId, projectId, note };
}

const recordOf = async (runId: string): Promise<Record<string, unknown> | undefined> =>
  (await pool.query('SELECT * FROM records WHERE run_id = $1', [runId])).rows[0];
const readings = async () => (await pool.query('SELECT FROM readings')).rowCount;

/** Returns a blocker whose callers wait until it is resolved or rejected. */
function gate() {
  const through = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const arrive = (): Promise<void> => {
    reached.resolve();
    return through.promise;
  };
  return { arrive, reached: reached.promise, ...through };
}

it('a builder with an expired lease changes neither the record nor the readings of the instance that reclaimed it', async () => {
  const { note } = newProject();
  await note({ pages: pages('', 'a', 'gone') });
  await maker.buildNext();
  const runId = await note({ pages: pages('', 'a') });
  const [stalled, looking] = [gate(), gate()];
  fleet.blockers.run = stalled.arrive;
  const first = maker.buildNext();
  await stalled.reached;
  await pool.query(`UPDATE records SET lease_until = now() - interval '1 second' WHERE run_id = $1`, [runId]);
  fleet.blockers.run = async () => undefined;
  fleet.blockers.look = looking.arrive;
  const second = maker.buildNext();
  await looking.reached;
  const held = await recordOf(runId);
  stalled.reject(new AppError('unavailable', 'away'));
  await first;
  expect(await recordOf(runId)).toEqual(held);
  expect(await readings()).toBe(2);
  looking.resolve();
  await second;
  expect(await recordOf(runId)).toMatchObject({ status: 'made', owner: null, entries: 1 });
  expect(JSON.parse(String((await recordOf(runId))?.['counts']))).toMatchObject({ same: 2, removed: 1 });
  expect(await readings()).toBe(0);
});

it('a record is deferred with growing delays until its run is listed and collects nothing before', async () => {
  const runId = await newProject().note({ pages: pages('', 'a') });
  fleet.unlistedPages = 1;
  const waits: number[] = [];
  for (const looks of [0, 2, 7, 20]) {
    await pool.query('UPDATE records SET not_ready_count = $2 WHERE run_id = $1', [runId, looks]);
    await maker.buildNext();
    const text = 'SELECT extract(epoch FROM due_at - now()) AS wait, attempts FROM records WHERE run_id = $1';
    const { rows } = await pool.query<{ wait: string; attempts: number }>(text, [runId]);
    expect(rows[0]?.attempts).toBe(0);
    waits.push(Math.round(Number(rows[0]?.wait)));
    expect(await readings()).toBe(0);
    await pool.query('UPDATE records SET due_at = now() WHERE run_id = $1', [runId]);
  }
  expect(waits).toEqual([1, 2, 10, 15]);
  fleet.unlistedPages = 0;
  await maker.buildNext();
  expect(await recordOf(runId)).toMatchObject({ status: 'made' });
});

it.each([
  ['signed in', { login_id: 'lgn_01j5xq2w8se6fa7t0a6q1n3k2m' }],
  ['sent headers', { headers: { 'x-key': 'one' } }],
  ['sent cookies', { cookies: { session: 'one' } }],
  ['went through an exit', { use_proxy: 'always' }],
  ['fetched from a country', { country: 'DE' }],
  ['fetched as a mobile device', { device: 'mobile' }],
])('verification is skipped for a run that %s', async (_, config) => {
  const { note } = newProject();
  await note({ pages: pages('', 'a', 'gone'), config });
  await maker.buildNext();
  const runId = await note({ pages: pages('', 'a'), config });
  fleet.recapturedUrls.length = 0;
  await maker.buildNext();
  expect(fleet.recapturedUrls).toEqual([]);
  expect(JSON.parse(String((await recordOf(runId))?.['counts']))).toMatchObject({ removed: 0, withheld: 1 });
});

it('a record that needs verification is retried when scrape is unreachable', async () => {
  const { note } = newProject();
  await note({ pages: pages('', 'gone') });
  await maker.buildNext();
  const runId = await note({ pages: pages('') });
  fleet.blockers.look = () => Promise.reject(new AppError('unavailable', 'away'));
  await maker.buildNext();
  expect(await recordOf(runId)).toMatchObject({ status: 'pending', attempts: 1 });
  // A rate limit of the page's host is inconclusive, not a reason to retry.
  fleet.blockers.look = () => Promise.reject(new AppError('rate_limited', 'rate limited'));
  await pool.query('UPDATE records SET due_at = now() WHERE run_id = $1', [runId]);
  await maker.buildNext();
  expect(JSON.parse(String((await recordOf(runId))?.['counts']))).toMatchObject({ withheld: 1 });
});

it('a record whose builders died on every attempt fails without another attempt', async () => {
  const runId = await newProject().note({ pages: pages('') });
  await pool.query('UPDATE records SET attempts = 24 WHERE run_id = $1', [runId]);
  let isBegun = false;
  fleet.blockers.run = async () => {
    isBegun = true;
  };
  expect(await maker.buildNext()).toBe(true);
  expect(await recordOf(runId)).toMatchObject({ status: 'failed', error: expect.stringContaining('died') });
  expect(isBegun).toBe(false);
});

it('an invalid configuration excludes no page and does not block later records', async () => {
  const { note } = newProject();
  await note({ pages: pages('', 'a'), config: { include_paths: 'not a list' } });
  await maker.buildNext();
  const runId = await note({ pages: pages('', 'a', 'new'), config: { include_paths: [] } });
  await maker.buildNext();
  expect(await recordOf(runId)).toMatchObject({ status: 'made' });
  expect(JSON.parse(String((await recordOf(runId))?.['counts']))).toMatchObject({ same: 2, added: 1 });
});

it('a record stores the settings that later records need but no headers, cookies or URL lists', async () => {
  const rules = { exclude_paths: ['/admin'], fields: { price: { selector: '.price' } } };
  const config = { ...rules, headers: { 'x-key': 's' }, cookies: { c: 's' }, url_list: [HOME], feeds: [`${HOME}feed`] };
  const runId = await newProject().note({ pages: pages(''), config });
  await maker.buildNext();
  expect(JSON.parse(String((await recordOf(runId))?.['config']))).toEqual(rules);
});

it('a run of a deleted project gets no record', async () => {
  const { note, projectId, workspaceId } = newProject();
  const discards = new DiscardStore(pool);
  const before = await note({ pages: pages('') });
  await maker.buildNext();
  await discards.discardProjects([{ projectId, workspaceId }]);
  expect(await recordOf(before)).toBeUndefined();
  const after = await note({ pages: pages('') });
  expect(await recordOf(after)).toBeUndefined();
  await pool.query(`UPDATE deleted_projects SET deleted_at = now() - interval '31 days'`);
  await discards.sweep(() => true);
  expect((await pool.query('SELECT FROM deleted_projects')).rowCount).toBe(0);
});

it('a builder running while its project is deleted leaves no rows', async () => {
  const { note, projectId, workspaceId } = newProject();
  await note({ pages: pages('', 'gone') });
  await maker.buildNext();
  await note({ pages: pages('', 'new') });
  const looking = gate();
  fleet.blockers.look = looking.arrive;
  const made = maker.buildNext();
  await looking.reached;
  const deleted = new DiscardStore(pool).discardProjects([{ projectId, workspaceId }]);
  await until('the records to be deleted', async () => {
    const { rowCount } = await pool.query('SELECT FROM records WHERE project_id = $1', [projectId]);
    return rowCount === 0;
  });
  looking.resolve();
  await Promise.all([made, deleted]);
  for (const table of ['records', 'entries', 'known_pages'])
    expect((await pool.query(`SELECT FROM ${table} WHERE project_id = $1`, [projectId])).rowCount).toBe(0);
});

it('the sweep deletes readings of abandoned claims and keeps those of valid ones', async () => {
  const runId = await newProject().note({ pages: pages('') });
  const claim = await records.claim();
  if (claim === undefined) throw new Error('a due record expected');
  const text = `INSERT INTO readings (run_id, owner, page_key, number, reading) VALUES ($1, $2, 'site.test', 1, '{}')`;
  for (const owner of ['dead', claim.token]) await pool.query(text, [runId, owner]);
  await new DiscardStore(pool).sweep(() => true);
  expect((await pool.query('SELECT owner FROM readings')).rows).toEqual([{ owner: claim.token }]);
  await records.delete(claim);
});
