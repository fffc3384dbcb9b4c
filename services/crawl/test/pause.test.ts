import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { PagesInProgress } from '@tidemark/contracts/crawl/v1/control';
import { type FakeScrapeWorkers, type RunningService, spawnService, until } from '@tidemark/testkit';
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

const start = async (): Promise<RunningService> => {
  const service = await servers.start();
  running.push(service);
  return service;
};

/** A home page that links to `size` - 1 pages, of which none ends while the workers are stalled. */
const site = (size: number) => (url: string) => {
  const links = Array.from({ length: size - 1 }, (_, at) => `${HOME}/p${at + 1}`);
  return url === `${HOME}/` ? { links } : links.includes(url) ? {} : undefined;
};

/** Workers that fetch the first page, and of whose other fetches none ends while they are stalled. */
async function workersFor(size: number): Promise<FakeScrapeWorkers> {
  const made = await servers.workers(site(size), { concurrency: 4, pieces: 16 });
  made.isStalled = (url) => url !== `${HOME}/`;
  return made;
}

interface Counts {
  readonly queued: number;
  readonly in_flight: number;
  readonly dispatched: number;
  readonly done: number;
}

const countsOf = async (id: string): Promise<Counts> => {
  const [row] = await servers.servers.database.sql<Counts>(
    `SELECT queued, in_flight, done, (SELECT count(*)::int FROM crawl.frontier f WHERE f.run_no = r.no AND f.status = 'dispatched') AS dispatched
     FROM crawl.runs r WHERE id = $1`,
    [id],
  );
  return row ?? { queued: -1, in_flight: -1, dispatched: -1, done: -1 };
};

/** Starts a run whose first page has ended and of whose others `fetching` are being fetched and at least ten are only offered. */
async function runWithOffers(client: ReturnType<typeof clientIn>, fetching: number): Promise<string> {
  const { id } = await client.start();
  await until('pages to be fetched and offered', async () => {
    const { in_flight, done } = await countsOf(id);
    return done === 1 && in_flight >= fetching + 10 && workers?.order.length === 1 + fetching;
  });
  return id;
}

async function expectWhole(client: ReturnType<typeof clientIn>, id: string, size: number): Promise<void> {
  await client.ended(id, 60_000);
  expect(await client.get(id)).toMatchObject({ stop: 'finished', done: size, queued: 0, creditsUsed: size });
  expect(await countsOf(id)).toMatchObject({ in_flight: 0, dispatched: 0 });
  expect([...(workers?.fetched.values() ?? [])].filter((times) => times !== 1)).toEqual([]);
  expect(workers?.fetched.size).toBe(size);
}

describe('a pause of a run', () => {
  it('returns the pages whose fetch has not begun to the frontier at once; those being fetched end and are charged, and no page is lost or fetched twice', async () => {
    const client = clientIn(await start());
    workers = await workersFor(40);
    const id = await runWithOffers(client, 4);
    await client.pause(id);
    const counts = await until('the pages to be returned', async () => {
      const now = await countsOf(id);
      return now.in_flight <= 4 && now;
    });
    expect(counts).toMatchObject({ in_flight: 4, dispatched: 4, queued: 35, done: 1 });
    expect(await client.get(id)).toMatchObject({ paused: true, queued: 35 });
    workers.isStalled = () => false;
    await until('the pages in flight to end', async () => (await countsOf(id)).done === 5);
    expect(workers.order.length).toBe(5);
    expect(await client.get(id)).toMatchObject({ status: 'running', creditsUsed: 5, done: 5 });
    await client.resume(id);
    await expectWhole(client, id, 40);
  });

  it('that is followed by a resume and by another pause at once loses no page and fetches none twice', async () => {
    const client = clientIn(await start());
    workers = await workersFor(40);
    const id = await runWithOffers(client, 4);
    await client.pause(id);
    await client.resume(id);
    await client.pause(id);
    await client.resume(id);
    workers.isStalled = () => false;
    await expectWhole(client, id, 40);
  });

  it('returns work that is still in the queue, or was lost with it, without a worker that reports it', async () => {
    const client = clientIn(await start());
    workers = await workersFor(40);
    const lost = workers;
    lost.loses = () => lost.offered.length > 1;
    const { id } = await client.start();
    await until('the other pages to be offered', async () => (await countsOf(id)).in_flight === 39);
    await client.pause(id);
    await until('the pages to be returned', async () => (await countsOf(id)).in_flight === 0);
    lost.loses = () => false;
    lost.isStalled = () => false;
    await client.resume(id);
    await expectWhole(client, id, 40);
  });

  it('is completed by another instance if the process that answered it is killed', async () => {
    const doomed = await spawnService('crawl', MAIN, servers.env);
    const client = clientIn({ ...(await start()), peer: doomed.peer });
    workers = await workersFor(40);
    const id = await runWithOffers(client, 4);
    await client.pause(id);
    await doomed.kill('SIGKILL');
    const survivor = clientIn(running[0] ?? (await start()), client.workspaceId);
    await until('the pages to be returned', async () => (await countsOf(id)).in_flight === 4);
    expect(workers.order.length).toBe(5);
    workers.isStalled = () => false;
    await survivor.resume(id);
    await expectWhole(survivor, id, 40);
  });

  it('ignores a report of returned pages that arrives after the run was resumed and the pages were offered again', async () => {
    const client = clientIn(await start());
    workers = await workersFor(20);
    const id = await runWithOffers(client, 4);
    await client.pause(id);
    await until('the pages to be returned', async () => (await countsOf(id)).in_flight <= 4);
    const before = workers.offered.length;
    await client.resume(id);
    const fetching = workers;
    await until('the other pages to be offered again', () => {
      const pages = fetching.offered.slice(before).flatMap((piece) => piece.pages);
      return pages.length === 15 && pages.every(({ isRepeated }) => isRepeated);
    });
    const captureIds = fetching.offered.slice(before).flatMap(({ pages }) => pages.map((page) => page.captureId));
    const late: PagesInProgress = {
      runId: id,
      workspaceId: '',
      captureIds: [],
      held: [],
      returned: captureIds,
      pauses: 1,
    };
    fetching.report(late);
    fetching.isStalled = () => false;
    await expectWhole(client, id, 20);
  });
});
