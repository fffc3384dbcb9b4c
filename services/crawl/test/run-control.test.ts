import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { work } from '@tidemark/contracts';
import { CrawlServiceService as Rpc } from '@tidemark/contracts/crawl/v1/crawl';
import { Bus, createLogger } from '@tidemark/service';
import { callerIn, type FakeScrapeWorkers, type RunningService, until } from '@tidemark/testkit';
import { type CrawlServers, clientIn, openCrawl } from './crawl-servers.ts';
import { expectWhole, heap } from './whole-run.ts';

let servers: CrawlServers;
let workers: FakeScrapeWorkers | undefined;
const running: RunningService[] = [];
beforeAll(async () => {
  servers = await openCrawl();
}, 120_000);
afterEach(async () => {
  await workers?.close();
  for (const service of running.splice(0)) await service.close();
});
afterAll(() => servers.close());

const start = async (more: Record<string, string> = {}): Promise<RunningService> => {
  const service = await servers.start(more);
  running.push(service);
  return service;
};
const sql = <Row extends object>(text: string, values: unknown[] = []) =>
  servers.servers.database.sql<Row>(text, values);

describe('a run in progress', () => {
  it('its list of pages has no gaps and no duplicates, and its progress never decreases', async () => {
    const service = await start();
    workers = await servers.workers(heap(400), { delayMs: 5 });
    const client = clientIn(service);
    const { id } = await client.start();
    const numbers: number[] = [];
    let before = { done: 0, total: 0 };
    await until('the end', async () => {
      const run = await client.get(id);
      expect(run.done).toBeGreaterThanOrEqual(before.done);
      expect(run.total).toBeGreaterThanOrEqual(before.total);
      expect(run.total).toBeGreaterThanOrEqual(run.done + run.queued);
      before = run;
      const request = { id, after: numbers.at(-1) ?? 0, limit: 50 };
      const { pages } = await service.peer.call(Rpc.listEnded, request, {
        ...callerIn(client.workspaceId),
      });
      numbers.push(...pages.map(({ number }) => number));
      return run.status === 'done' && pages.length === 0;
    });
    expect(numbers).toEqual(Array.from({ length: 400 }, (_, i) => i + 1));
  });

  it('a cancel ends it at once: no result is accepted, no page is fetched, and it stays cancelled', async () => {
    const service = await start();
    workers = await servers.workers(heap(5_000), { delayMs: 20, concurrency: 4 });
    const client = clientIn(service);
    const { id } = await client.start();
    await until('more than 20 done pages', async () => (await client.get(id)).done > 20);
    expect(await client.cancel(id)).toMatchObject({ status: 'cancelled', stop: 'cancelled', queued: 0 });
    const atCancel = workers.order.length;
    await until('the deletion of all rows of the run', async () => {
      const [row] = await sql<{ cleaned_up: boolean }>('SELECT cleaned_up FROM crawl.runs WHERE id = $1', [id]);
      return row?.cleaned_up === true;
    });
    const { done, creditsUsed } = await client.get(id);
    expect(creditsUsed).toBe(done);
    expect(workers.order.length - atCancel).toBeLessThanOrEqual(8);
    expect(await client.get(id)).toMatchObject({ status: 'cancelled', queued: 0 });
    expect(
      await sql(
        `SELECT 1 FROM crawl.frontier f JOIN crawl.runs r ON r.no = f.run_no WHERE r.id = $1 AND f.status IN ('queued', 'dispatched')`,
        [id],
      ),
    ).toEqual([]);
    expect(await client.cancel(id)).toMatchObject({ status: 'cancelled' });
  });

  it('a cancel removes queued work and cancels the pages that workers hold', async () => {
    const service = await start();
    // Slow enough that the run cannot end before its workers hold their pages.
    workers = await servers.workers(heap(400), { concurrency: 1, delayMs: 20 });
    const bus = await Bus.connect(servers.servers.nats.url, 'test', createLogger('test', 'silent'));
    const client = clientIn(service);
    const other = clientIn(service);
    const { id } = await client.start();
    await until('more than 5 done pages', async () => (await client.get(id)).done > 5);
    const held = workers;
    // The workers are held at a moment at which work waits in the queue: held earlier, they may have all pages in flight.
    await until('work to queue', async () => {
      held.isHeld = true;
      held.isHeld = (await bus.pendingWork(work.page)) > 0;
      return held.isHeld;
    });
    const fetched = workers.order.length;
    await client.cancel(id);
    await until('the queue to be empty', async () => (await bus.pendingWork(work.page)) === 0);
    await until('the cancellation of its pages', () =>
      workers?.calledOff.some(({ runId, captureIds }) => runId === id && captureIds.length === 0),
    );
    workers.isHeld = false;
    const { id: next } = await other.start({ maxPages: 3 });
    await other.ended(next);
    // Nothing of the cancelled run was fetched meanwhile but what was already being fetched.
    expect(workers.order.length - fetched).toBeLessThanOrEqual(4);
    await bus.close();
  });

  it('a pause lets pages in flight end and stops offers until it is resumed; the time limit is suspended', async () => {
    const service = await start();
    workers = await servers.workers(heap(300), { delayMs: 10, concurrency: 8 });
    const client = clientIn(service);
    const { id } = await client.start();
    await until('more than 30 done pages', async () => (await client.get(id)).done > 30);
    expect(await client.pause(id)).toMatchObject({ paused: true, status: 'running' });
    const resting = await until('the release of its lease', async () => {
      const [row] = await sql<{ owner: string | null; in_flight: number; done: number }>(
        'SELECT owner, in_flight, done FROM crawl.runs WHERE id = $1',
        [id],
      );
      return row?.owner === null && row.in_flight === 0 ? row : undefined;
    });
    expect(resting.done).toBeLessThan(300);
    expect(workers.order.length).toBe(resting.done);
    expect(await client.resume(id)).toMatchObject({ paused: false });
    await client.ended(id);
    await expectWhole(servers, client, { id, size: 300 });
  });
});

describe('a request to crawl', () => {
  it('sent repeatedly or concurrently under one key starts one run; another body under it is refused', async () => {
    const service = await start();
    workers = await servers.workers(heap(3));
    const client = clientIn(service);
    const responses = await Promise.all(Array.from({ length: 20 }, () => client.start({}, { key: 'k', hash: 'h' })));
    expect(new Set(responses.map(({ id }) => id)).size).toBe(1);
    expect(responses.filter(({ replayed }) => !replayed)).toHaveLength(1);
    await expect(client.start({}, { key: 'k', hash: 'other' })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is refused where its URL, a pattern or its webhook is invalid, and nothing is started', async () => {
    const client = clientIn(await start());
    await expect(client.start({}, { seed: 'http://169.254.169.254/' })).rejects.toMatchObject({ code: 'validation' });
    await expect(client.start({}, { seed: 'nowhere' })).rejects.toMatchObject({ code: 'validation' });
    await expect(client.start({}, { webhookUrl: 'http://10.0.0.1/' })).rejects.toMatchObject({ code: 'validation' });
    await expect(client.start({ feeds: ['http://10.0.0.1/feed'] })).rejects.toMatchObject({ code: 'validation' });
    await expect(client.start({ excludePaths: ['/a', 're:(?=x)'] })).rejects.toMatchObject({
      code: 'validation',
      detail: [{ loc: ['body', 'config', 'exclude_paths', 1], type: 'pattern_refused' }],
    });
    expect(await sql('SELECT 1 FROM crawl.runs WHERE workspace_id = $1', [client.workspaceId])).toEqual([]);
  });

  it('with a webhook returns its secret, again under the Idempotency-Key only, and stores it sealed', async () => {
    const service = await start();
    workers = await servers.workers(heap(1));
    const client = clientIn(service);
    const webhookUrl = 'http://127.0.0.1/hook';
    const { webhookSecret, id } = await client.start({}, { webhookUrl, key: 'w', hash: 'w' });
    expect(webhookSecret).toMatch(/^whsec_/);
    expect(await client.start({}, { webhookUrl, key: 'w', hash: 'w' })).toMatchObject({ id, webhookSecret });
    await expect(client.start({}, { webhookUrl, key: 'w', hash: 'x' })).rejects.toMatchObject({ code: 'conflict' });
    const [row] = await sql<{ webhook_secret: Buffer }>('SELECT webhook_secret FROM crawl.runs WHERE id = $1', [id]);
    expect(row?.webhook_secret.includes(webhookSecret)).toBe(false);
  });

  it('can not be read or changed by another workspace', async () => {
    const service = await start();
    workers = await servers.workers(heap(1));
    const { id } = await clientIn(service).start();
    const stranger = clientIn(service);
    const calls = [stranger.get, stranger.cancel, stranger.pause, stranger.resume, stranger.pages];
    for (const call of calls) await expect(call(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(stranger.links(id, 'orphans')).rejects.toMatchObject({ code: 'not_found' });
  });
});
