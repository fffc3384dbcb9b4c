import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { work } from '@tidemark/contracts';
import { CrawlServiceService as Rpc } from '@tidemark/contracts/crawl/v1/crawl';
import { Bus, createLogger } from '@tidemark/service';
import { anonymous, type FakeScrapeWorkers, type RunningService, spawnService, until } from '@tidemark/testkit';
import { type CrawlServers, clientIn, HOME, openCrawl } from './crawl-servers.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
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

/** A site of so many pages, each linking to the two below it and to the first. */
const heap = (size: number) => (url: string) => {
  const at = url === `${HOME}/` ? 1 : Number(/\/p(\d+)$/.exec(url)?.[1] ?? 0);
  if (at < 1 || at > size) return undefined;
  const below = [at * 2, at * 2 + 1].filter((child) => child <= size);
  return { links: [`${HOME}/`, ...below.map((child) => `${HOME}/p${child}`)] };
};

/** Every page once, numbered without gaps, each charged once and the sum of it on the run. */
async function expectWhole(client: ReturnType<typeof clientIn>, id: string, size: number): Promise<void> {
  const run = await client.get(id);
  expect(run).toMatchObject({
    status: 'done',
    stop: 'finished',
    done: size,
    total: size,
    queued: 0,
    creditsUsed: size,
  });
  const pages = await client.pages(id);
  expect(pages.map(({ number }) => number)).toEqual(Array.from({ length: size }, (_, i) => i + 1));
  expect(new Set(pages.map(({ pageId }) => pageId)).size).toBe(size);
  const left = await sql<{ status: string; pages: number }>(
    `SELECT f.status, count(*)::int AS pages FROM crawl.frontier f JOIN crawl.runs r ON r.no = f.run_no WHERE r.id = $1 GROUP BY f.status`,
    [id],
  );
  expect(left).toEqual([{ status: 'done', pages: size }]);
}

describe('a run', () => {
  it('is continued by another instance within seconds when its process is killed, and no page is fetched twice', async () => {
    const doomed = await spawnService('crawl', MAIN, servers.env);
    workers = await servers.workers(heap(600), { delayMs: 30, concurrency: 8 });
    const client = clientIn({ ...(await start({ MAX_RUNS: '1' })), peer: doomed.peer });
    // The surviving process is at capacity with another run, so that the process to be killed claims this one.
    const blocker = clientIn(running[0] ?? (await start()));
    const { id: blocking } = await blocker.start({ crawlMode: 'list_only', urlList: [`${HOME}/p1`], delayMs: 0 });
    await blocker.ended(blocking);
    const { id } = await client.start();
    await until('a third of the run', async () => (await client.get(id)).done > 200);
    await doomed.kill('SIGKILL');
    const survivor = clientIn(running[0] ?? (await start()), client.workspaceId);
    const before = (await survivor.get(id)).done;
    await until('it to go on', async () => (await survivor.get(id)).done > before + 60, { withinMs: 30_000 });
    await survivor.ended(id);
    await expectWhole(survivor, id, 600);
    expect([...(workers?.fetched.values() ?? [])].filter((times) => times > 1)).toEqual([]);
    await doomed.close();
  }, 60_000);

  it('is claimed by any of the processes, and each page event is handled by any of them', async () => {
    const [a] = [await start({ MAX_RUNS: '2' }), await start({ MAX_RUNS: '2' })];
    workers = await servers.workers(heap(150), { concurrency: 32 });
    const clients = Array.from({ length: 5 }, () => clientIn(a));
    const ids = await Promise.all(clients.map(async (client) => (await client.start()).id));
    const owners = await until('two conductors', async () => {
      const rows = await sql<{ owner: string }>(
        `SELECT DISTINCT owner FROM crawl.runs WHERE id = ANY($1) AND status = 'running'`,
        [ids],
      );
      return rows.length === 2 ? rows : undefined;
    });
    expect(owners).toHaveLength(2);
    await Promise.all(clients.map((client, i) => client.ended(ids[i] ?? '')));
    for (const [i, client] of clients.entries()) await expectWhole(client, ids[i] ?? '', 150);
  }, 60_000);

  it('of one workspace does not block runs of other workspaces', async () => {
    const service = await start({ MAX_RUNS: '1' });
    workers = await servers.workers(heap(30), { delayMs: 5 });
    const [greedy, modest] = [clientIn(service), clientIn(service)];
    const first = await greedy.start();
    const second = await greedy.start();
    const other = await modest.start();
    await Promise.all([greedy.ended(first.id), greedy.ended(second.id), modest.ended(other.id)]);
    const [{ second: secondAt, other: otherAt }] = [
      { second: (await greedy.get(second.id)).finishedAt, other: (await modest.get(other.id)).finishedAt },
    ];
    expect(otherAt?.getTime()).toBeLessThan(secondAt?.getTime() ?? 0);
  });

  it('whose work was lost by the bus offers it again under the same ids', async () => {
    const service = await start();
    const links = Array.from({ length: 99 }, (_, i) => `${HOME}/p${i}`);
    workers = await servers.workers((url) => ({ links: url === `${HOME}/` ? links : [] }));
    const lost = new Set<string>();
    workers.loses = ({ pages }) => {
      if (lost.size > 10 || pages.some(({ url }) => url === `${HOME}/`)) return false;
      for (const { captureId } of pages) lost.add(captureId);
      return true;
    };
    const client = clientIn(service);
    const { id } = await client.start();
    await until('work to be lost', () => lost.size > 0);
    await until('the rest to be read', async () => (await client.get(id)).done === 100 - lost.size);
    await sql(`UPDATE crawl.frontier SET dispatched_until = now() - interval '1 second' WHERE capture_id = ANY($1)`, [
      [...lost],
    ]);
    await client.ended(id);
    await expectWhole(client, id, 100);
    const pages = new Set((await client.pages(id)).map(({ pageId }) => pageId));
    expect([...lost].every((captureId) => pages.has(captureId))).toBe(true);
  }, 60_000);

  it('does not offer a page again while a worker reports it as held', async () => {
    const service = await start();
    workers = await servers.workers(heap(1));
    workers.isHeld = true;
    const client = clientIn(service);
    const { id } = await client.start();
    const order = await until('the page to be offered', () => workers?.offered[0]?.pages[0]);
    const reported = {
      runId: id,
      workspaceId: client.workspaceId,
      captureIds: [order.captureId, 'cap_unknown'],
      held: [],
      returned: [],
      pauses: 0,
    };
    await sql(`UPDATE crawl.frontier SET dispatched_until = now() + interval '5 seconds' WHERE capture_id = $1`, [
      order.captureId,
    ]);
    const calledOff = () => workers?.calledOff.flatMap(({ captureIds }) => captureIds) ?? [];
    workers.report(reported);
    await until('the unknown page to be called off', () => calledOff().includes('cap_unknown'));
    expect(calledOff()).not.toContain(order.captureId);
    const [row] = await sql<{ left: number }>(
      'SELECT extract(epoch FROM dispatched_until - now())::int AS left FROM crawl.frontier WHERE capture_id = $1',
      [order.captureId],
    );
    expect(row?.left).toBeGreaterThan(150);
    workers.isHeld = false;
    await client.ended(id);
    workers.report(reported);
    await until('the ended page to be called off', () => calledOff().includes(order.captureId));
  });

  it('counts a page once, however often its event is delivered and whichever instance handles it', async () => {
    const [service] = [await start(), await start()];
    workers = await servers.workers(heap(200));
    workers.timesSent = 3;
    const client = clientIn(service);
    const { id } = await client.start();
    await client.ended(id);
    await expectWhole(client, id, 200);
    await until('every fact to be confirmed', () => workers?.unconfirmed === 0);
  });

  it('survives a database that closes every connection', async () => {
    const service = await start();
    workers = await servers.workers(heap(300), { delayMs: 10, concurrency: 8 });
    const client = clientIn(service);
    const { id } = await client.start();
    await until('some of it', async () => (await client.get(id)).done > 50);
    await servers.servers.database.cutConnections();
    await until('the end', async () => (await client.get(id)).status === 'done', { withinMs: 40_000 });
    await expectWhole(client, id, 300);
  }, 60_000);
});

describe('while a run is under way', () => {
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
        ...anonymous(),
        caller: callerOf(client.workspaceId),
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
    await until('some of it', async () => (await client.get(id)).done > 20);
    expect(await client.cancel(id)).toMatchObject({ status: 'cancelled', stop: 'cancelled', queued: 0 });
    const atCancel = workers.order.length;
    await until('everything to be cleared up', async () => {
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

  it('a cancel drops the work that no worker has taken, and calls off the pages that workers hold', async () => {
    const service = await start();
    // Slow enough that the run cannot end before its workers hold their pages.
    workers = await servers.workers(heap(400), { concurrency: 1, delayMs: 20 });
    const bus = await Bus.connect(servers.servers.nats.url, 'test', createLogger('test', 'silent'));
    const client = clientIn(service);
    const other = clientIn(service);
    const { id } = await client.start();
    await until('some of it', async () => (await client.get(id)).done > 5);
    workers.isHeld = true;
    await until('work to queue', async () => (await bus.pendingWork(work.page)) > 0);
    const fetched = workers.order.length;
    await client.cancel(id);
    await until('the queue to be empty', async () => (await bus.pendingWork(work.page)) === 0);
    await until('its pages to be called off', () =>
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
    await until('some of it', async () => (await client.get(id)).done > 30);
    expect(await client.pause(id)).toMatchObject({ paused: true, status: 'running' });
    const resting = await until('nobody to conduct it', async () => {
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
    await expectWhole(client, id, 300);
  });
});

describe('a request to crawl', () => {
  it('sent twice under one key starts one run, many at once included; another body under it is refused', async () => {
    const service = await start();
    workers = await servers.workers(heap(3));
    const client = clientIn(service);
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.start({}, { key: 'k', hash: 'h' })));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    await expect(client.start({}, { key: 'k', hash: 'other' })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('is refused where its address, a pattern or its webhook can’t be used, and nothing is started', async () => {
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

  it('with a webhook brings a secret, once, that is sealed at rest', async () => {
    const service = await start();
    workers = await servers.workers(heap(1));
    const client = clientIn(service);
    const webhookUrl = 'http://127.0.0.1/hook';
    const { webhookSecret, id } = await client.start({}, { webhookUrl, key: 'w', hash: 'w' });
    expect(webhookSecret).toMatch(/^whsec_/);
    expect((await client.start({}, { webhookUrl, key: 'w', hash: 'w' })).webhookSecret).toBe('');
    const [row] = await sql<{ webhook_secret: Buffer }>('SELECT webhook_secret FROM crawl.runs WHERE id = $1', [id]);
    expect(row?.webhook_secret.includes(webhookSecret)).toBe(false);
  });

  it('can never be read or changed by another workspace', async () => {
    const service = await start();
    workers = await servers.workers(heap(1));
    const { id } = await clientIn(service).start();
    const stranger = clientIn(service);
    const calls = [stranger.get, stranger.cancel, stranger.pause, stranger.resume, stranger.pages];
    for (const call of calls) await expect(call(id)).rejects.toMatchObject({ code: 'not_found' });
    await expect(stranger.links(id, 'orphans')).rejects.toMatchObject({ code: 'not_found' });
  });
});

function callerOf(workspaceId: string) {
  return { workspaceId, keyId: 'key_test', scope: 'read', projects: [] } as const;
}
