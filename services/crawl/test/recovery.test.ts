import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type FakeScrapeWorkers, namedPages, type RunningService, spawnService, until } from '@tidemark/testkit';
import { type CrawlServers, clientIn, HOME, openCrawl } from './crawl-servers.ts';
import { expectWhole, heap } from './whole-run.ts';

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
    await until('further pages after the takeover', async () => (await survivor.get(id)).done > before + 60);
    await survivor.ended(id);
    await expectWhole(servers, survivor, { id, size: 600 });
    expect([...(workers?.fetched.values() ?? [])].filter((times) => times > 1)).toEqual([]);
    await doomed.close();
  });

  it('is claimed by any of the processes, and each page event is handled by any of them', async () => {
    const [a] = [await start({ MAX_RUNS: '2' }), await start({ MAX_RUNS: '2' })];
    workers = await servers.workers(heap(150), { concurrency: 32 });
    const clients = Array.from({ length: 5 }, () => clientIn(a));
    const ids = await Promise.all(clients.map(async (client) => (await client.start()).id));
    const owners = await until('runs held by two instances', async () => {
      const rows = await sql<{ owner: string }>(
        `SELECT DISTINCT owner FROM crawl.runs WHERE id = ANY($1) AND status = 'running'`,
        [ids],
      );
      return rows.length === 2 ? rows : undefined;
    });
    expect(owners).toHaveLength(2);
    await Promise.all(clients.map((client, i) => client.ended(ids[i] ?? '')));
    for (const [i, client] of clients.entries()) await expectWhole(servers, client, { id: ids[i] ?? '', size: 150 });
  });

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
    await until('lost work', () => lost.size > 0);
    await until('all other pages to be done', async () => (await client.get(id)).done === 100 - lost.size);
    await sql(`UPDATE crawl.frontier SET dispatched_until = now() - interval '1 second' WHERE capture_id = ANY($1)`, [
      [...lost],
    ]);
    await client.ended(id);
    await expectWhole(servers, client, { id, size: 100 });
    const pages = new Set((await client.pages(id)).map(({ pageId }) => pageId));
    expect([...lost].every((captureId) => pages.has(captureId))).toBe(true);
  });

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
    };
    await sql(`UPDATE crawl.frontier SET dispatched_until = now() + interval '5 seconds' WHERE capture_id = $1`, [
      order.captureId,
    ]);
    const calledOff = () => workers?.calledOff.flatMap(namedPages) ?? [];
    workers.report(reported);
    await until('the cancellation of the unknown page', () => calledOff().includes('cap_unknown'));
    expect(calledOff()).not.toContain(order.captureId);
    const [row] = await sql<{ left: number }>(
      'SELECT extract(epoch FROM dispatched_until - now())::int AS left FROM crawl.frontier WHERE capture_id = $1',
      [order.captureId],
    );
    expect(row?.left).toBeGreaterThan(150);
    workers.isHeld = false;
    await client.ended(id);
    workers.report(reported);
    await until('the cancellation of the ended page', () => calledOff().includes(order.captureId));
  });

  it('counts a page once, however often its event is delivered and whichever instance handles it', async () => {
    const [service] = [await start(), await start()];
    workers = await servers.workers(heap(200));
    workers.timesSent = 3;
    const client = clientIn(service);
    const { id } = await client.start();
    await client.ended(id);
    await expectWhole(servers, client, { id, size: 200 });
    await until('the confirmation of every event', () => workers?.unconfirmed === 0);
  });

  it('survives a database that closes every connection', async () => {
    const service = await start();
    workers = await servers.workers(heap(300), { delayMs: 10, concurrency: 8 });
    const client = clientIn(service);
    const { id } = await client.start();
    await until('more than 50 done pages', async () => (await client.get(id)).done > 50);
    await servers.servers.database.cutConnections();
    await until('the end', async () => (await client.get(id)).status === 'done');
    await expectWhole(servers, client, { id, size: 300 });
  });
});
