import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { events } from '@tidemark/contracts';
import { RunPageEnded } from '@tidemark/contracts/scrape/v1/events';
import { Bus, createLogger, outgoingEvent } from '@tidemark/service';
import { type FakeScrapeWorkers, type RunningService, until } from '@tidemark/testkit';
import { type CrawlServers, clientIn, HOME, openCrawl, type Site, siteOf } from './crawl-servers.ts';

const OTHER = 'https://other.test';
let servers: CrawlServers;
let service: RunningService;
let bus: Bus;
let workers: FakeScrapeWorkers | undefined;
beforeAll(async () => {
  servers = await openCrawl();
  service = await servers.start();
  bus = await Bus.connect(servers.servers.nats.url, 'scrape', createLogger('test', 'silent'));
}, 120_000);
afterEach(() => workers?.close());
afterAll(async () => {
  await bus.close();
  await servers.close();
});

/** Starts workers that have given up the hosts of these URLs: each of their pages returns without a request. */
async function workersWithout(site: Site, isDown: (url: string) => boolean): Promise<FakeScrapeWorkers> {
  const started = await servers.workers(siteOf(site));
  started.loses = (piece) => {
    const lost = piece.pages.filter(({ url }) => isDown(url));
    for (const { captureId, url } of lost) {
      const { runId, workspaceId } = piece;
      const said = { verdict: 'blocked', errorCode: 'NETWORK', httpStatus: 0, hostGivenUp: true } as const;
      const event = RunPageEnded.fromPartial({ runId, workspaceId, captureId, url, ...said });
      void bus.publish(events.runPageEnded.subject, [
        outgoingEvent(events.runPageEnded, `run-page:${captureId}`, event),
      ]);
    }
    return lost.length > 0;
  };
  return started;
}

describe('a run whose host is given up', () => {
  it('ends with site_down and a result for every known page', async () => {
    const links = Array.from({ length: 150 }, (_, i) => `/p${i}`);
    workers = await workersWithout({ '/': { links } }, (url) => url !== `${HOME}/`);
    const client = clientIn(service);
    const { id } = await client.start();
    expect(await client.ended(id)).toMatchObject({
      status: 'done',
      stop: 'site_down',
      done: 151,
      total: 151,
      queued: 0,
      creditsUsed: 1,
      counts: { ok: 1, blocked: 150 },
    });
    expect(await client.pages(id)).toHaveLength(151);
    expect(await client.links(id, 'dead_ends')).toMatchObject({ isVerdict: false });
  });

  it('respects its page limit', async () => {
    const links = Array.from({ length: 50 }, (_, i) => `/p${i}`);
    workers = await workersWithout({ '/': { links } }, (url) => url !== `${HOME}/`);
    const client = clientIn(service);
    const { id } = await client.start({ maxPages: 20 });
    expect(await client.ended(id)).toMatchObject({ stop: 'site_down', done: 20, total: 20 });
  });

  it('continues to its end if another host than its own is given up', async () => {
    const own = Array.from({ length: 40 }, (_, i) => `/p${i}`);
    const others = Array.from({ length: 40 }, (_, i) => `${OTHER}/p${i}`);
    const pages: Site = Object.fromEntries(own.map((path) => [path, {}]));
    workers = await workersWithout(pages, (url) => url.startsWith(OTHER));
    const client = clientIn(service);
    const urlList = [...others, ...own.map((path) => `${HOME}${path}`)];
    const { id } = await client.start({ crawlMode: 'list_only', urlList });
    expect(await client.ended(id)).toMatchObject({ stop: 'finished', done: 80, counts: { ok: 40, blocked: 40 } });
    const { why } = await client.links(id, 'dead_ends');
    expect(why).toContain('other.test');
  });
});

describe('hosts that are held', () => {
  const report = (runId: string, host: string, forMs: number, { why = 'Retry-After', ids = [''] } = {}) => {
    const held = [{ host, until: new Date(Date.now() + forMs), why }];
    workers?.report({ runId, workspaceId: '', captureIds: ids, held, returned: [], pauses: 0 });
  };

  it('are listed by the run whose pages wait for them, until they are released', async () => {
    workers = await servers.workers(siteOf({ '/': {} }));
    workers.isHeld = true;
    const client = clientIn(service);
    const { id } = await client.start();
    await until('its page to be offered', () => workers?.offered.length === 1);
    report(id, 'idle.test', 60_000);
    report(id, 'site.test', 1_500);
    const [hold, ...more] = await until('the hold to be shown', async () => {
      const { held } = await client.get(id);
      return held.length > 0 && held;
    });
    expect(more).toEqual([]);
    expect(hold).toMatchObject({ host: 'site.test', why: 'Retry-After' });
    await until('the end of the hold', async () => (await client.get(id)).held.length === 0);
    expect(Date.now()).toBeGreaterThanOrEqual((hold?.until?.getTime() ?? 0) - 50);
    report(id, 'site.test', 60_000);
    await until('the hold to be shown again', async () => (await client.get(id)).held.length === 1);
    report(id, 'site.test', 60_000, { why: 'it answered 503' });
    await until('the hold to have another reason', async () => {
      const { held } = await client.get(id);
      return held.length === 1 && held[0]?.why === 'it answered 503';
    });
    workers.isHeld = false;
    expect((await client.ended(id)).held).toEqual([]);
  });

  it('do not delay a run whose time limit is reached', async () => {
    workers = await servers.workers(siteOf({ '/': {} }));
    workers.isHeld = true;
    const client = clientIn(service);
    const { id } = await client.start();
    const { captureId } = await until('its page to be offered', () => workers?.offered[0]?.pages[0]);
    const ids = [captureId];
    report(id, 'site.test', 60_000, { ids });
    await until('the hold to be shown', async () => (await client.get(id)).held.length === 1);
    expect(workers.calledOff.flatMap(({ captureIds }) => captureIds)).not.toContain(captureId);
    await servers.servers.database.sql('UPDATE crawl.runs SET deadline = now() WHERE id = $1', [id]);
    await until('the cancellation of the page', () =>
      workers?.calledOff.some(({ runId, captureIds }) => runId === id && captureIds.includes(captureId)),
    );
    expect(await client.ended(id)).toMatchObject({ status: 'done', stop: 'time_limit', done: 0, held: [] });
  });

  it('are not listed by a run that has ended', async () => {
    workers = await servers.workers(siteOf({ '/': {} }));
    const client = clientIn(service);
    const { id } = await client.start();
    await client.ended(id);
    report(id, 'site.test', 60_000, { ids: ['cap_late'] });
    await until('the report to be answered', () =>
      workers?.calledOff.some(({ captureIds }) => captureIds.includes('cap_late')),
    );
    expect((await client.get(id)).held).toEqual([]);
  });
});
