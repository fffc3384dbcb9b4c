import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { RunFinished } from '@tidemark/contracts/crawl/v1/events';
import { AppError } from '@tidemark/errors';
import { createLogger, openPool } from '@tidemark/service';
import { newWorkspace, startTestServers, type TestServers, until } from '@tidemark/testkit';
import type pg from 'pg';
import { RecordBuilder } from '../src/records/record-builder.ts';
import { ReleaseGuard } from '../src/records/release-guard.ts';
import { DiscardStore } from '../src/store/discard-store.ts';
import { KnownPageStore } from '../src/store/known-page-store.ts';
import { RecapturedPageStore } from '../src/store/recaptured-page-store.ts';
import { RecordStore } from '../src/store/record-store.ts';
import { ReleaseStore } from '../src/store/release-store.ts';
import { VolatilityJobStore } from '../src/store/volatility-job-store.ts';
import { type FakePeers, type FakeRun, startFakePeers } from './fake-peers.ts';

let servers: TestServers;
let peers: FakePeers;
let pool: pg.Pool;
let records: RecordStore;
let builder: RecordBuilder;
beforeAll(async () => {
  servers = await startTestServers();
  peers = servers.own(await startFakePeers());
  pool = openPool(servers.database.url, 'diff', 8);
  servers.own({ close: () => pool.end() });
  records = new RecordStore(pool, randomUUID);
  const releases = new ReleaseStore(pool);
  builder = new RecordBuilder({
    pool,
    records,
    knownPages: new KnownPageStore(pool),
    recapturedPages: new RecapturedPageStore(pool),
    releaseGuard: new ReleaseGuard({ releases, release: '', log: createLogger('test', 'silent') }),
    volatilityJobs: new VolatilityJobStore(pool, randomUUID),
    recaptureDelaySeconds: 3_600,
    listingWaitMs: 200,
    archive: peers.peer,
    crawl: peers.peer,
    scrape: peers.peer,
    compare: async () => ({
      blocks: [],
      fields: [],
      wordsAdded: 0,
      wordsRemoved: 0,
      isReordered: false,
      isDegraded: false,
    }),
    alertPool: { evaluate: async () => ({ matches: [], failures: [] }) },
    publish: () => undefined,
    now: () => new Date(),
    log: createLogger('test', 'silent'),
  });
});
afterAll(() => servers.close());
afterEach(() => {
  peers.unlistedPages = 0;
  peers.blockers.run = peers.blockers.recapture = async () => undefined;
});

const HOME = 'https://site.test/';
const pages = (...paths: string[]) => paths.map((path) => ({ url: `${HOME}${path}`, texts: [`It says ${path}.`] }));

/** Returns a project whose finished runs have records to build. */
function newProject() {
  const [workspaceId, projectId] = [newWorkspace(), newId('prj')];
  const enqueueRun = async (more: Pick<FakeRun, 'pages' | 'config'>): Promise<string> => {
    const run = { id: newId('run'), workspaceId, projectId, ...more };
    peers.add(run);
    const parts = {
      runId: run.id,
      workspaceId,
      projectId,
      trigger: 'api',
      status: 'done',
      stop: 'finished',
    } as const;
    const ended = { finishedAt: new Date(), pages: run.pages.length, hasCoverage: true };
    await records.enqueue([RunFinished.fromPartial({ ...parts, ...ended })]);
    // Two connections to the database may differ in their clocks.
    await makeDue(run.id);
    return run.id;
  };
  return { workspaceId, projectId, enqueueRun };
}

const recordOf = async (runId: string): Promise<Record<string, unknown> | undefined> =>
  (await pool.query('SELECT * FROM records WHERE run_id = $1', [runId])).rows[0];
const makeDue = (runId: string) =>
  pool.query("UPDATE records SET due_at = now() - interval '1 second' WHERE run_id = $1", [runId]);
const countReadings = async () => (await pool.query('SELECT FROM readings')).rowCount;

/** Returns a blocker whose callers wait until it is resolved or rejected. */
function blocker() {
  const through = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const wait = (): Promise<void> => {
    reached.resolve();
    return through.promise;
  };
  return { wait, reached: reached.promise, ...through };
}

it('a shutdown releases the record in progress: it is due at once, and the attempt is not counted', async () => {
  const runId = await newProject().enqueueRun({ pages: pages('') });
  const stalled = blocker();
  peers.blockers.run = stalled.wait;
  const building = builder.buildNext();
  await stalled.reached;
  await builder.drain();
  const released = { status: 'pending', owner: null, lease_until: null, attempts: 0, interruptions: 0 };
  expect(await recordOf(runId)).toMatchObject(released);
  peers.blockers.run = async () => undefined;
  stalled.resolve();
  await building;
  expect(await recordOf(runId)).toMatchObject(released);
  await builder.buildNext();
  expect(await recordOf(runId)).toMatchObject({ status: 'made', attempts: 1 });
});

it('a record that is made or failed is changed by no claim, even if the claim still owns it', async () => {
  const runId = await newProject().enqueueRun({ pages: pages('') });
  const claim = await records.claim();
  if (claim === undefined) throw new Error('no record was due');
  for (const status of ['made', 'failed']) {
    await pool.query('UPDATE records SET status = $2 WHERE run_id = $1', [runId, status]);
    await records.fail(claim, 'too late');
    await records.scheduleRetry(claim, 0);
    await records.delete(claim);
    expect(await recordOf(runId)).toMatchObject({ status, error: '', owner: claim.token });
  }
});

it('a builder with an expired lease changes neither the record nor the readings of the instance that reclaimed it', async () => {
  const { enqueueRun } = newProject();
  await enqueueRun({ pages: pages('', 'a', 'gone') });
  await builder.buildNext();
  const runId = await enqueueRun({ pages: pages('', 'a') });
  const [stalled, verification] = [blocker(), blocker()];
  peers.blockers.run = stalled.wait;
  const first = builder.buildNext();
  await stalled.reached;
  await pool.query(`UPDATE records SET lease_until = now() - interval '1 second' WHERE run_id = $1`, [runId]);
  peers.blockers.run = async () => undefined;
  peers.blockers.recapture = verification.wait;
  const second = builder.buildNext();
  await verification.reached;
  const claimed = await recordOf(runId);
  stalled.reject(new AppError('unavailable', 'unreachable'));
  await first;
  expect(await recordOf(runId)).toEqual(claimed);
  expect(await countReadings()).toBe(2);
  verification.resolve();
  await second;
  expect(await recordOf(runId)).toMatchObject({ status: 'made', owner: null, entries: 1 });
  expect(JSON.parse(String((await recordOf(runId))?.['counts']))).toMatchObject({ same: 2, removed: 1 });
  expect(await countReadings()).toBe(0);
});

it('a record is deferred with growing delays until its run is listed and collects nothing before', async () => {
  const runId = await newProject().enqueueRun({ pages: pages('', 'a') });
  peers.unlistedPages = 1;
  const delays: number[] = [];
  for (const notReadyCount of [0, 2, 7, 20]) {
    await pool.query('UPDATE records SET not_ready_count = $2 WHERE run_id = $1', [runId, notReadyCount]);
    await builder.buildNext();
    const text = 'SELECT extract(epoch FROM due_at - now()) AS delay, attempts FROM records WHERE run_id = $1';
    const { rows } = await pool.query<{ delay: string; attempts: number }>(text, [runId]);
    expect(rows[0]?.attempts).toBe(0);
    delays.push(Math.round(Number(rows[0]?.delay)));
    expect(await countReadings()).toBe(0);
    await makeDue(runId);
  }
  expect(delays).toEqual([1, 2, 10, 15]);
  peers.unlistedPages = 0;
  await builder.buildNext();
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
  const { enqueueRun } = newProject();
  await enqueueRun({ pages: pages('', 'a', 'gone'), config });
  await builder.buildNext();
  const runId = await enqueueRun({ pages: pages('', 'a'), config });
  peers.recapturedUrls.length = 0;
  await builder.buildNext();
  expect(peers.recapturedUrls).toEqual([]);
  expect(JSON.parse(String((await recordOf(runId))?.['counts']))).toMatchObject({ removed: 0, withheld: 1 });
});

it('a record that needs verification is retried when scrape is unreachable', async () => {
  const { enqueueRun } = newProject();
  await enqueueRun({ pages: pages('', 'gone') });
  await builder.buildNext();
  const runId = await enqueueRun({ pages: pages('') });
  peers.blockers.recapture = () => Promise.reject(new AppError('unavailable', 'unreachable'));
  await builder.buildNext();
  expect(await recordOf(runId)).toMatchObject({ status: 'pending', attempts: 1 });
  // A rate limit of the page's host is inconclusive, not a reason to retry.
  peers.blockers.recapture = () => Promise.reject(new AppError('rate_limited', 'rate limited'));
  await makeDue(runId);
  await builder.buildNext();
  expect(JSON.parse(String((await recordOf(runId))?.['counts']))).toMatchObject({ withheld: 1 });
});

it('a record whose lease expired in five attempts in a row fails without another attempt', async () => {
  const runId = await newProject().enqueueRun({ pages: pages('') });
  for (let interruptions = 0; interruptions < 5; interruptions += 1) {
    expect(await new RecordStore(pool, () => crypto.randomUUID()).claim()).toMatchObject({ interruptions });
    await pool.query(`UPDATE records SET lease_until = now() - interval '1 second' WHERE run_id = $1`, [runId]);
  }
  let isStarted = false;
  peers.blockers.run = async () => {
    isStarted = true;
  };
  expect(await builder.buildNext()).toBe(true);
  expect(await recordOf(runId)).toMatchObject({
    status: 'failed',
    error: 'the process that built the record ended 5 times in a row',
  });
  expect(isStarted).toBe(false);
});

it('an invalid configuration excludes no page and does not block later records', async () => {
  const { enqueueRun } = newProject();
  await enqueueRun({ pages: pages('', 'a'), config: { include_paths: 'not a list' } });
  await builder.buildNext();
  const runId = await enqueueRun({ pages: pages('', 'a', 'new'), config: { include_paths: [] } });
  await builder.buildNext();
  expect(await recordOf(runId)).toMatchObject({ status: 'made' });
  expect(JSON.parse(String((await recordOf(runId))?.['counts']))).toMatchObject({ same: 2, added: 1 });
});

it('a record stores the settings that later records need but no headers, cookies or URL lists', async () => {
  const price = { selector: '.price', type: 'number', many: false } as const;
  const rules = { exclude_paths: ['/admin'], fields: { price } };
  const config = { ...rules, headers: { 'x-key': 's' }, cookies: { c: 's' }, url_list: [HOME], feeds: [`${HOME}feed`] };
  const runId = await newProject().enqueueRun({ pages: pages(''), config });
  await builder.buildNext();
  expect(JSON.parse(String((await recordOf(runId))?.['config']))).toEqual(rules);
});

it('a run of a deleted project gets no record', async () => {
  const { enqueueRun, projectId, workspaceId } = newProject();
  const discards = new DiscardStore(pool);
  const before = await enqueueRun({ pages: pages('') });
  await builder.buildNext();
  await discards.discardProjects([{ projectId, workspaceId }]);
  expect(await recordOf(before)).toBeUndefined();
  const after = await enqueueRun({ pages: pages('') });
  expect(await recordOf(after)).toBeUndefined();
  await pool.query(`UPDATE deleted_projects SET deleted_at = now() - interval '31 days'`);
  await discards.sweep(() => true);
  expect((await pool.query('SELECT FROM deleted_projects')).rowCount).toBe(0);
});

it('a builder running while its project is deleted leaves no rows', async () => {
  const { enqueueRun, projectId, workspaceId } = newProject();
  await enqueueRun({ pages: pages('', 'gone') });
  await builder.buildNext();
  await enqueueRun({ pages: pages('', 'new') });
  const verification = blocker();
  peers.blockers.recapture = verification.wait;
  const building = builder.buildNext();
  await verification.reached;
  const deleted = new DiscardStore(pool).discardProjects([{ projectId, workspaceId }]);
  await until('the records to be deleted', async () => {
    const { rowCount } = await pool.query('SELECT FROM records WHERE project_id = $1', [projectId]);
    return rowCount === 0;
  });
  verification.resolve();
  await Promise.all([building, deleted]);
  for (const table of ['records', 'entries', 'known_pages'])
    expect((await pool.query(`SELECT FROM ${table} WHERE project_id = $1`, [projectId])).rowCount).toBe(0);
});

it('the sweep deletes readings of abandoned claims and keeps those of valid ones', async () => {
  const runId = await newProject().enqueueRun({ pages: pages('') });
  const claim = await records.claim();
  if (claim === undefined) throw new Error('a due record expected');
  const text = `INSERT INTO readings (run_id, owner, page_key, number, reading) VALUES ($1, $2, 'site.test', 1, '{}')`;
  for (const owner of ['dead', claim.token]) await pool.query(text, [runId, owner]);
  await new DiscardStore(pool).sweep(() => true);
  expect((await pool.query('SELECT owner FROM readings')).rows).toEqual([{ owner: claim.token }]);
  await records.delete(claim);
});
