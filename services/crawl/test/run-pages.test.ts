import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { events } from '@tidemark/contracts';
import type { RunPagesRecorded } from '@tidemark/contracts/crawl/v1/events';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import { Bus, createLogger } from '@tidemark/service';
import { type FakeScrapeWorkers, type RunningService, spawnService, until } from '@tidemark/testkit';
import { type CrawlServers, HOME, openCrawl, siteOf } from './crawl-servers.ts';
import { projectClient } from './project-client.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));
let servers: CrawlServers;
let service: RunningService;
let workers: FakeScrapeWorkers;
const recorded: RunPagesRecorded[] = [];
const finished = new Map<string, number>();
const site = siteOf({
  '/': { links: Array.from({ length: 30 }, (_, i) => `/p${i}`) },
  ...Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`/p${i}`, { links: ['/'] }])),
});

beforeAll(async () => {
  servers = await openCrawl();
  service = await servers.start();
  workers = await servers.workers(site, { concurrency: 4 });
  const bus = servers.servers.own(
    await Bus.connect(servers.servers.nats.url, 'archive', createLogger('test', 'fatal')),
  );
  bus.consume(events.runPagesRecorded, 'archive', async (batch) => {
    recorded.push(...batch.map(({ event }) => event));
  });
  bus.consume(events.runFinished, 'archive', async (batch) => {
    for (const { event } of batch) finished.set(event.runId, event.pages);
  });
  await bus.prepare();
}, 120_000);
afterAll(() => servers.close());

const eventsOf = (id: string) => recorded.filter(({ runId }) => runId === id);
const pagesOf = (id: string) => eventsOf(id).flatMap(({ pages }) => pages);
const isFinal = ({ inLinks }: RunPage) => inLinks !== undefined;
const numbers = (pages: readonly RunPage[]) =>
  [...new Set(pages.map(({ number }) => number))].toSorted((a, b) => a - b);
const allNumbers = Array.from({ length: 31 }, (_, i) => i + 1);
/** Waits until every page of a run has been published with its link counts. */
const published = (id: string) =>
  until('all pages to be published', () => numbers(pagesOf(id).filter(isFinal)).length === 31 && finished.has(id));

describe('a run of a project', () => {
  it('is published when it is created, its pages as they end, and all of them with their links before its end', async () => {
    const client = projectClient(service);
    const { id } = await client.start();
    const [created] = await until('the run to be published', () => eventsOf(id).length > 0 && eventsOf(id));
    expect(created).toMatchObject({ workspaceId: client.workspaceId, projectId: client.projectId, pages: [] });
    await client.ended(id);
    await published(id);
    expect(finished.get(id)).toBe(31);
    expect(numbers(pagesOf(id).filter((page) => !isFinal(page)))).toEqual(allNumbers);
    const listed = await client.pages(id);
    const final = new Map(
      pagesOf(id)
        .filter(isFinal)
        .map((page) => [page.number, page]),
    );
    for (const { url, verdict, errorCode, httpStatus, credits, ...page } of listed) {
      expect([url, verdict, errorCode, httpStatus, credits]).not.toContain(undefined);
      expect(final.get(page.number)).toEqual(page);
    }
    expect(final.get(1)?.inLinks).toBe(30);
  });

  it('publishes every page even if the process that orchestrated it was killed', async () => {
    const doomed = await spawnService('crawl', MAIN, servers.env);
    await service.close();
    const first = projectClient(doomed);
    workers.isHeld = false;
    const { id } = await first.start();
    await until('some pages to end', async () => ((await first.get(id))?.done ?? 0) > 3);
    await doomed.kill('SIGKILL');
    await doomed.close();
    service = await servers.start();
    const second = projectClient(service, first.workspaceId, first.projectId);
    await second.ended(id);
    await published(id);
    expect(numbers(pagesOf(id))).toEqual(allNumbers);
  }, 90_000);
});

describe('a run without a project', () => {
  const ephemeral = async (isHeld = false) => {
    workers.isHeld = isHeld;
    const own = projectClient(service, undefined, '');
    const { id } = await own.start({ trigger: 'crawl', seed: `${HOME}/` });
    const project = projectClient(service, own.workspaceId);
    return { id, own, project };
  };

  it('publishes nothing, and once it is adopted all its pages with their links, and its end', async () => {
    const { id, own, project } = await ephemeral();
    await own.ended(id);
    expect(await servers.servers.database.sql(`SELECT id FROM crawl.outbox WHERE id LIKE 'run-pages:${id}%'`)).toEqual(
      [],
    );
    expect(eventsOf(id)).toEqual([]);
    await project.adopt(id);
    await published(id);
    expect(pagesOf(id).every(isFinal)).toBe(true);
    await until('its project to be published', () => eventsOf(id).some(({ projectId }) => projectId !== undefined));
    expect(new Set(eventsOf(id).map(({ projectId }) => projectId))).toEqual(new Set([undefined, project.projectId]));
  });

  it('that is adopted while it runs publishes the pages it has, and then those that end', async () => {
    const { id, project } = await ephemeral();
    await until('some pages to end', async () => {
      const [row] = await servers.servers.database.sql<{ done: number }>('SELECT done FROM crawl.runs WHERE id = $1', [
        id,
      ]);
      return (row?.done ?? 0) > 0;
    });
    await project.adopt(id);
    await project.ended(id);
    await published(id);
    expect(numbers(pagesOf(id))).toEqual(allNumbers);
  });
});
