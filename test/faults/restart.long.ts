import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { JobResponse } from '../harness/api.ts';
import { type OwnFleet, startFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const web = await startWeb();
const KEY = { 'idempotency-key': 'across a restart' };
let fleet: OwnFleet;
let workspace: Workspace;
let before: { first: JobResponse; pending: JobResponse; credits: object; usage: unknown; list: unknown };

const firstOrder = () => ({ url: web.url('/article'), formats: 'markdown,text,cleanHtml,rawHtml,links' });
const pendingOrder = () => ({ url: web.url('/gate/across-a-restart'), timeout: 1 });

/** Kills and restarts every process, as after a power failure. */
async function restartEverything({ stack }: OwnFleet): Promise<void> {
  const { postgres, nats, redis } = stack.parts;
  const services = [...stack.services.values()];
  await Promise.all([...services, postgres, nats, redis].map((part) => part.kill('SIGKILL')));
  await Promise.all([postgres, nats, redis].map((part) => part.restart()));
  // One handle per process; the light services share one.
  const [light, ...others] = services.filter(({ name }) => ['gateway', 'scrape', 'browser-pool'].includes(name));
  await Promise.all([light, ...others].map((service) => service?.restart()));
}

beforeAll(async () => {
  // A killed Postgres keeps acknowledged commits only with synchronous_commit, as in production.
  fleet = await startFleet({ ephemeral: false });
  workspace = await fleet.workspaces.make();
  const first = await workspace.writer.scrape(firstOrder(), KEY);
  await until('its charge', async () => (await workspace.reader.credits()).remaining === 999, { withinMs: 10_000 });
  const pending = await workspace.writer.scrape(pendingOrder(), { 'idempotency-key': 'pending across a restart' });
  before = {
    first,
    pending,
    credits: await workspace.reader.credits(),
    usage: ((await workspace.reader.get('/me/usage')).body as { month: unknown }).month,
    list: ((await workspace.reader.get('/scrape')).body as { data: unknown }).data,
  };
  await restartEverything(fleet);
}, 120_000);
afterAll(async () => {
  await fleet?.close();
  await web.close();
}, 30_000);

describe('after every process was killed and restarted', () => {
  test('keys, credits, usage and the list of jobs are unchanged', async () => {
    expect((await workspace.reader.get('/me')).status).toBe(200);
    expect(await workspace.reader.credits()).toEqual(before.credits);
    expect(((await workspace.reader.get('/me/usage')).body as { month: unknown }).month).toEqual(before.usage);
    expect(((await workspace.reader.get('/scrape')).body as { data: unknown }).data).toEqual(before.list);
  });

  test('a page is read from the archive with the bodies of its first response', async () => {
    const hits = web.hits('/article').length;
    const again = await workspace.reader.job(before.first.job.id);
    expect({ ...again, request_id: '' }).toEqual({ ...before.first.job, request_id: '' });
    expect(web.hits('/article').length).toBe(hits);
  });

  test('a request repeated with its Idempotency-Key returns the first response, and nothing is fetched or charged', async () => {
    const hits = web.hits('/article').length;
    const replay = await workspace.writer.scrape(firstOrder(), KEY);
    expect([replay.status, replay.headers.get('idempotent-replayed'), replay.body]).toEqual([
      200,
      'true',
      before.first.body,
    ]);
    expect(web.hits('/article').length).toBe(hits);
    expect((await workspace.writer.post('/scrape', { url: web.url('/tiny') }, KEY)).status).toBe(409);
    expect(await workspace.reader.credits()).toEqual(before.credits);
  });

  test('work in progress continues, ends, and is charged once', async () => {
    web.open('across-a-restart');
    const { id } = before.pending.job;
    const job = await until(
      'the job to end',
      async () => {
        const now = await workspace.reader.job(id);
        return now.status !== 'running' && now;
      },
      { withinMs: 60_000 },
    );
    expect(job).toMatchObject({ status: 'done', creditsUsed: 1, data: [{ verdict: 'ok' }] });
    await until(
      'its charge',
      async () => {
        const { remaining, reserved } = await workspace.reader.credits();
        return remaining === 998 && reserved === 0;
      },
      { withinMs: 20_000 },
    );
    const replay = await workspace.writer.scrape(pendingOrder(), { 'idempotency-key': 'pending across a restart' });
    expect([replay.status, replay.body]).toEqual([202, before.pending.body]);
  }, 90_000);
});
