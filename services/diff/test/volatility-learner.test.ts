import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { createLogger, inTransaction, openPool } from '@tidemark/service';
import { newWorkspace, startTestServers, type TestServers, until } from '@tidemark/testkit';
import type pg from 'pg';
import { DiscardStore } from '../src/store/discard-store.ts';
import { KnownPageStore } from '../src/store/known-page-store.ts';
import { VolatilityJobStore } from '../src/store/volatility-job-store.ts';
import { VolatilityLearner } from '../src/volatility/learning/volatility-learner.ts';
import { type FakePeers, startFakePeers } from './fake-peers.ts';
import { readingOf } from './fixtures/site-pages.ts';

let servers: TestServers;
let peers: FakePeers;
let pool: pg.Pool;
let jobs: VolatilityJobStore;
let learner: VolatilityLearner;
beforeAll(async () => {
  servers = await startTestServers();
  peers = servers.own(await startFakePeers());
  pool = openPool(servers.database.url, 'diff', 8);
  servers.own({ close: () => pool.end() });
  jobs = new VolatilityJobStore(pool, randomUUID);
  const delta = { blocks: [], fields: [], wordsAdded: 0, wordsRemoved: 0, isReordered: false, isDegraded: false };
  learner = new VolatilityLearner({
    pool,
    jobs,
    knownPages: new KnownPageStore(pool),
    archive: peers.peer,
    crawl: peers.peer,
    scrape: peers.peer,
    compare: async () => delta,
    gapSeconds: 0,
    now: () => new Date(),
    log: createLogger('test', 'silent'),
  });
});
afterAll(() => servers.close());
afterEach(async () => {
  delete peers.blockers.run;
  delete peers.blockers.recapture;
  peers.recapturedUrls.length = 0;
  await pool.query('DELETE FROM volatility_jobs');
});

const HOME = 'https://site.test/';
/** Enqueues a due job for one page of a run. */
async function enqueueJob({ isRunStored = true, agoMs = 0 } = {}): Promise<string> {
  const run = { runId: newId('run'), workspaceId: newWorkspace(), projectId: newId('prj') };
  if (isRunStored) peers.add({ ...run, id: run.runId, pages: [{ url: HOME }] });
  const page = readingOf(run.runId, HOME, { blocks: ['It is calm.'], reading: { fetchedAtMs: Date.now() - agoMs } });
  await inTransaction(pool, (client) => jobs.enqueue(client, run, [page], -1));
  return run.runId;
}
const countJobs = async (): Promise<number> => (await pool.query('SELECT FROM volatility_jobs')).rowCount ?? 0;
const makeJobsDue = (): Promise<unknown> =>
  pool.query(`UPDATE volatility_jobs SET due_at = now() - interval '1 second'`);

it('a volatility job is deleted after five failed attempts', async () => {
  await enqueueJob();
  peers.blockers.run = () => Promise.reject(new AppError('unavailable', 'unreachable'));
  for (let attempt = 1; attempt <= 4; attempt += 1) {
    expect(await learner.learnNext()).toBe(true);
    // Not due again immediately.
    expect(await learner.learnNext()).toBe(false);
    await makeJobsDue();
  }
  expect(await countJobs()).toBe(1);
  await learner.learnNext();
  expect(await countJobs()).toBe(0);
});

it('a volatility job of a deleted run is deleted', async () => {
  await enqueueJob({ isRunStored: false });
  expect(await learner.learnNext()).toBe(true);
  expect(await countJobs()).toBe(0);
});

it.each([
  ['page was captured too long ago', 'SELECT', 601_000],
  ['job is overdue', `UPDATE volatility_jobs SET due_at = now() - interval '11 minutes'`, 0],
  ['attempts are exhausted', 'UPDATE volatility_jobs SET attempts = 5', 0],
  [
    'project has a record of a later run',
    `INSERT INTO records (run_id, workspace_id, project_id, is_recrawl, status, run_finished, finished_at)
     SELECT 'run_zzz' || project_id, workspace_id, project_id, false, 'made', '', now() FROM volatility_jobs`,
    0,
  ],
])('a volatility job ends without a recapture when its %s', async (_, happened, agoMs) => {
  await enqueueJob({ agoMs });
  await pool.query(happened);
  expect(await learner.learnNext()).toBe(true);
  expect(await countJobs()).toBe(0);
  expect(peers.recapturedUrls).toEqual([]);
});

it('a volatility job is retried when scrape is unreachable', async () => {
  await enqueueJob();
  peers.blockers.recapture = () => Promise.reject(new AppError('unavailable', 'unreachable'));
  await learner.learnNext();
  expect(await countJobs()).toBe(1);
});

it('a volatility job that ends while its project is deleted leaves no rows', async () => {
  await enqueueJob();
  const [row] = (await pool.query('SELECT project_id, workspace_id FROM volatility_jobs')).rows;
  const [projectId, workspaceId] = [String(row?.project_id), String(row?.workspace_id)];
  const discarded = await inTransaction(pool, async (client) => {
    await client.query('DELETE FROM volatility_jobs');
    const deleting = new DiscardStore(pool).discardProjects([{ projectId, workspaceId }]);
    await until('the deletion to wait for the job', async () => {
      const countJobs = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return (await pool.query(countJobs)).rowCount === 1;
    });
    await client.query(`INSERT INTO anchors (project_id, anchor, state) VALUES ($1, 'main>p', '{}')`, [projectId]);
    return { deleting };
  });
  await discarded.deleting;
  expect((await pool.query('SELECT FROM anchors WHERE project_id = $1', [projectId])).rowCount).toBe(0);
});

it('a volatility job is held by one instance at a time and reclaimed when its lease expires', async () => {
  await enqueueJob();
  const [recaptureStarted, recaptureReleased] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  peers.blockers.recapture = () => {
    recaptureStarted.resolve();
    return recaptureReleased.promise;
  };
  const stalled = learner.learnNext();
  await recaptureStarted.promise;
  expect(await learner.learnNext()).toBe(false);
  await pool.query(`UPDATE volatility_jobs SET lease_until = now() - interval '1 second'`);
  peers.blockers.recapture = async () => undefined;
  expect(await learner.learnNext()).toBe(true);
  expect(await countJobs()).toBe(0);
  recaptureReleased.resolve();
  expect(await stalled).toBe(true);
});
