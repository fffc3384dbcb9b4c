import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Monitor } from '@tidemark/api';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const web = await startWeb();
let workspace: Workspace;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
});
afterAll(async () => {
  await web.close();
  await fleet.close();
});

const leasesOf = ({ id }: Workspace) => fleet.sql('SELECT id FROM billing.leases WHERE workspace_id = $1', [id]);
/** Responds when its gate is opened. */
const heldJob = (gate: string) => workspace.writer.scrape({ url: web.url(`/gate/${gate}`), timeout: 1 });

describe('a page that takes longer than the caller waits', () => {
  test('returns 202 with the URL to poll, continues, and is done at that URL', async () => {
    const { status, headers, job } = await heldJob('polled');
    expect([status, job.status, job.data, job.finishedAt]).toEqual([202, 'running', [], null]);
    expect(headers.get('location')).toBe(`${fleet.url}/v1/scrape/${job.id}`);

    web.open('polled');
    const done = await until('the job to be done', async () => {
      const now = await workspace.reader.job(job.id);
      return now.status === 'done' && now;
    });
    expect(done).toMatchObject({ creditsUsed: 1, progress: { done: 1, total: 1, queued: 0 }, counts: { ok: 1 } });
    expect(done.data[0]?.markdown).toContain('Edda Marsh');
  });

  test('is shown as running while it runs, also in the list', async () => {
    const { job } = await heldJob('listed');
    expect(await workspace.reader.job(job.id)).toMatchObject({ status: 'running', data: [], creditsUsed: 0 });
    expect((await workspace.reader.get('/scrape?limit=1')).body).toMatchObject({
      data: [{ id: job.id, status: 'running' }],
    });
    web.open('listed');
  });
});

describe('the monitor', () => {
  test('lists the unfinished work of the workspace with its workers and the depth of each queue', async () => {
    const busy = await fleet.workspaces.make();
    const monitor = async (of: Workspace) => (await of.reader.get('/me/monitor')).body as Monitor;
    expect(await monitor(busy)).toMatchObject({ jobs: [], total: 0, workers: [] });
    const single = await busy.writer.scrape({ url: web.url('/gate/monitored'), timeout: 1 });
    const urls = ['/gate/monitored', '/gate/monitored?2', '/gate/monitored?3'].map((path) => web.url(path));
    const batch = (await busy.writer.post('/scrape', { urls })).body as { id: string };
    const running = await until('the first page of the batch to run', async () => {
      const now = await monitor(busy);
      return now.queues.some(({ priority, running: pages }) => priority === 'batch' && pages > 0) && now;
    });
    expect(running.total).toBe(2);
    expect(running.jobs).toMatchObject([
      { id: single.job.id, kind: 'scrape', status: 'running', done: 0, total: 1, worker: expect.stringMatching(/./) },
      { id: batch.id, kind: 'batch', status: 'running', done: 0, total: 3 },
    ]);
    expect(running.workers).toContainEqual({ name: running.jobs[0]?.worker, jobs: expect.any(Number) });
    expect(running.queues).toMatchObject([
      { queue: 'pages', priority: 'interactive', queued: 0, running: 1 },
      { queue: 'maps', priority: 'interactive', queued: 0, running: 0 },
      { queue: 'pages', priority: 'batch' },
      { queue: 'pages', priority: 'run', queued: 0, running: 0 },
    ]);
    expect(await monitor(workspace)).not.toMatchObject({ jobs: [{ id: single.job.id }] });
    web.open('monitored');
    await until('an empty work queue', async () => (await monitor(busy)).total === 0);
  });
});

describe('a cancelled job', () => {
  test('is cancelled at once, costs nothing, releases its credit lease and never becomes done', async () => {
    const poor = await fleet.workspaces.make();
    const { job } = await poor.writer.scrape({ url: web.url('/gate/cancelled'), timeout: 1 });
    expect((await leasesOf(poor)).length).toBe(1);

    const response = await poor.writer.delete(`/scrape/${job.id}`);
    expect(response).toMatchObject({
      status: 200,
      body: { id: job.id, status: 'cancelled', creditsUsed: 0, data: [] },
    });
    await until('the lease to be returned', async () => (await leasesOf(poor)).length === 0);

    web.open('cancelled');
    await until('the fetch to have been answered', () => web.hits('/gate/cancelled').length > 0);
    // A later capture of another page is charged by the same queue: once it is charged, the cancelled one would have been.
    await poor.writer.capture(web.url('/tiny'));
    await until('the other page to be charged', async () => (await poor.reader.credits()).usedThisMonth === 1);
    expect(await poor.reader.job(job.id)).toMatchObject({ status: 'cancelled', creditsUsed: 0, data: [] });
    expect(await poor.reader.credits()).toEqual({ remaining: 999, reserved: 0, usedThisMonth: 1 });
  });

  test('ends the wait of the client that started it', async () => {
    const waiting = workspace.writer.scrape(
      { url: web.url('/gate/waited'), timeout: 60 },
      { 'idempotency-key': 'waited' },
    );
    const job = await until('the job to be listed', async () => {
      const { body } = await workspace.reader.get('/scrape?limit=1');
      const [first] = (body as { data: { id: string; url: string }[] }).data;
      return first?.url === web.url('/gate/waited') && first;
    });
    await workspace.writer.delete(`/scrape/${job.id}`);
    expect(await waiting).toMatchObject({ status: 200, job: { id: job.id, status: 'cancelled', data: [] } });
    web.open('waited');
  });

  test('stays cancelled when it is cancelled again, and a done one stays done', async () => {
    const { job } = await heldJob('twice');
    const statuses = [];
    for (let i = 0; i < 2; i += 1) statuses.push((await workspace.writer.delete(`/scrape/${job.id}`)).body);
    expect(statuses).toMatchObject([{ status: 'cancelled' }, { status: 'cancelled' }]);
    web.open('twice');

    const { job: finished } = await workspace.writer.capture(web.url('/tiny'));
    const response = await workspace.writer.delete(`/scrape/${finished.id}`);
    expect(response).toMatchObject({
      status: 200,
      body: { status: 'done', creditsUsed: 1, data: [{ verdict: 'thin' }] },
    });
  });

  test('is never both cancelled and charged when the cancel races the page', async () => {
    const racers = await fleet.workspaces.make();
    const jobs = await Promise.all(
      Array.from({ length: 12 }, async (_, i) => {
        const gate = `race-${i}`;
        const { job } = await racers.writer.scrape({ url: web.url(`/gate/${gate}`), timeout: 1 });
        web.open(gate);
        await racers.writer.delete(`/scrape/${job.id}`);
        return job.id;
      }),
    );
    await until('every lease to be closed', async () => (await leasesOf(racers)).length === 0);
    const ended = await Promise.all(jobs.map((id) => racers.reader.job(id)));
    for (const job of ended)
      expect([
        ['done', 1, 1],
        ['cancelled', 0, 0],
      ]).toContainEqual([job.status, job.creditsUsed, job.data.length]);
    const done = ended.filter(({ status }) => status === 'done').length;
    await until('the account to say the same', async () => (await racers.reader.credits()).remaining === 1_000 - done);
  });
});

describe('the list of jobs', () => {
  test('is newest first, paged by `next`, and complete', async () => {
    const many = await fleet.workspaces.make();
    const made: string[] = [];
    for (let i = 0; i < 5; i += 1) made.push((await many.writer.scrape({ url: web.url(`/tiny?n=${i}`) })).job.id);
    const seen: string[] = [];
    let next: string | null = '/scrape?limit=2';
    while (next !== null) {
      const { body, status } = await many.reader.get(next);
      expect(status).toBe(200);
      const page = body as { data: { id: string }[]; next: string | null };
      expect(page.data.length).toBeLessThanOrEqual(2);
      seen.push(...page.data.map(({ id }) => id));
      next = page.next?.replace(`${fleet.url}/v1`, '') ?? null;
    }
    expect(seen).toEqual(made.reverse());
  });
});
