import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { events, newId } from '@tidemark/contracts';
import { type HeldHost, CrawlServiceService as Rpc } from '@tidemark/contracts/crawl/v1/crawl';
import { RunPageEnded } from '@tidemark/contracts/scrape/v1/events';
import { Bus, createLogger, outgoingEvent } from '@tidemark/service';
import { captureOptions, type FakeScrapeWorkers, type RunningService, until } from '@tidemark/testkit';
import { type CrawlServers, HOME, openCrawl, type Site, scopeOf, siteOf } from './crawl-servers.ts';
import { projectClient } from './project-client.ts';

let servers: CrawlServers;
let service: RunningService;
let bus: Bus;
let workers: FakeScrapeWorkers | undefined;
beforeAll(async () => {
  servers = await openCrawl();
  service = await servers.start();
  bus = servers.servers.own(await Bus.connect(servers.servers.nats.url, 'test', createLogger('test', 'silent')));
}, 120_000);
afterEach(async () => {
  await workers?.close();
  servers.sitemap = [];
});
afterAll(() => servers.close());

const SITE: Site = { '/': { links: ['/a', '/b', '/c'] }, '/a': {}, '/b': {}, '/c': {} };

/** Reports hosts that pages of a run wait for, as a worker does. Resolves when the report has been handled. */
async function reported(runId: string, held: HeldHost[]): Promise<void> {
  const captureId = newId('cap');
  workers?.report({ runId, workspaceId: '', captureIds: [captureId], held, returned: [], pauses: 0 });
  await until('the report to be handled', () =>
    workers?.calledOff.some(({ captureIds }) => captureIds.includes(captureId)),
  );
}

/** Publishes that a page has ended, as scrape does. */
const publishEnded = (event: Partial<RunPageEnded> & Pick<RunPageEnded, 'verdict' | 'errorCode'>) =>
  bus.publish(events.runPageEnded.subject, [
    outgoingEvent(events.runPageEnded, `run-page:${event.captureId}`, RunPageEnded.fromPartial(event)),
  ]);

describe('the log of a run', () => {
  it('lists in order what happened and why, from the request to the result', async () => {
    workers = await servers.workers(siteOf(SITE));
    servers.sitemap = [`${HOME}/a`];
    const client = projectClient(service);
    const { id } = await client.start({ scope: scopeOf({ maxPages: 2 }), trigger: 'schedule' });
    await client.ended(id);
    expect(await client.log(id)).toEqual([
      'queued: due by schedule',
      'started: it was next in the queue',
      'seeded: 1 URL enqueued as seeds',
      'sitemap: 1 URL declared',
      'limit: max_pages: 2 pages fetched; queued pages are left out',
      'finished: 2 pages: 2 ok; the page limit was reached',
    ]);
    const { log } = await service.peer.call(Rpc.getRun, { id, withLog: false, withConfig: false }, client.caller);
    expect(log).toEqual([]);
  });

  it('states that there is no sitemap, and that the owner paused, resumed and cancelled the run', async () => {
    workers = await servers.workers(siteOf(SITE));
    workers.isHeld = true;
    const client = projectClient(service);
    const { id } = await client.start();
    await until('the sitemap to be read', async () => (await client.log(id)).includes('sitemap: no URL is declared'));
    for (let i = 0; i < 3; i += 1) {
      await client.pause(id);
      await client.resume(id);
    }
    await client.cancel(id);
    const log = await until('its last line', async () => {
      const lines = await client.log(id);
      return lines.at(-1)?.startsWith('finished') && lines;
    });
    // The first and the last of three pauses.
    expect(log.filter((line) => line.startsWith('paused'))).toEqual([
      'paused: nothing more is fetched until it is resumed',
      'paused: nothing more is fetched until it is resumed (the last of 2 similar lines)',
    ]);
    expect(log.slice(-2)).toEqual(['cancelled: cancelled by the owner', 'finished: 0 pages; it was cancelled']);
  });

  it('has one line per hold, however many pages wait for it and however often it is reported', async () => {
    workers = await servers.workers(siteOf(SITE));
    workers.isHeld = true;
    const client = projectClient(service);
    const { id } = await client.start();
    await until('its page to be offered', () => workers?.offered.length === 1);
    const say = (forMs: number, why: string) => {
      const held = [{ host: 'site.test', until: new Date(Date.now() + forMs), why }];
      return reported(id, held);
    };
    const holds = async () => (await client.log(id)).filter((line) => line.startsWith('held'));
    await Promise.all(Array.from({ length: 5 }, () => say(60_000, 'it answered 429')));
    await say(90_000, 'it answered 429');
    expect(await holds()).toEqual([
      expect.stringMatching(/^held: site\.test is not requested until .* UTC: it answered 429$/),
    ]);
    await say(700, 'it gives no response');
    await until('the end of that hold', async () => (await client.get(id))?.held.length === 0);
    await say(60_000, 'it gives no response');
    expect(await holds()).toEqual([
      expect.stringContaining('it answered 429'),
      expect.stringContaining('it gives no response (the last of 2 similar lines)'),
    ]);
    await client.cancel(id);
  });

  it('has one line per trap, however many of its URLs are cut off', async () => {
    const years = Array.from({ length: 30 }, (_, i) => `/cal/${1000 + i}/01`);
    workers = await servers.workers(
      siteOf({ '/': { links: [...years, '/a'] }, '/a': { links: [...years, '/cal/1066/10'] } }),
    );
    const client = projectClient(service);
    const { id } = await client.start({ scope: scopeOf({ useSitemap: false }) });
    await client.ended(id);
    const log = await client.log(id);
    expect(log.filter((line) => line.startsWith('trap'))).toEqual([
      expect.stringMatching(/^trap: \/cal\/#\/# is not followed any further: a calendar/),
    ]);
  });

  it('has one line per given-up host, however many of its pages are returned', async () => {
    workers = await servers.workers(siteOf(SITE));
    workers.loses = (piece) => {
      const isDown = piece.host === 'other.test';
      for (const { captureId, url } of isDown ? piece.pages : []) {
        const said = { verdict: 'blocked', errorCode: 'NETWORK', httpStatus: 0, hostGivenUp: true } as const;
        void publishEnded({ runId: piece.runId, workspaceId: piece.workspaceId, captureId, url, ...said });
      }
      return isDown;
    };
    const urlList = [...Array.from({ length: 20 }, (_, i) => `https://other.test/p${i}`), `${HOME}/a`];
    const client = projectClient(service);
    const { id } = await client.start({ scope: scopeOf({ crawlMode: 'list_only', urlList }) });
    expect(await client.ended(id)).toMatchObject({ done: 21 });
    const log = await client.log(id);
    expect(log.filter((line) => line.startsWith('given_up'))).toEqual([
      expect.stringMatching(/^given_up: other\.test did not respond/),
    ]);
  });

  it('has at most five hundred lines', async () => {
    workers = await servers.workers(siteOf(SITE));
    workers.isHeld = true;
    const client = projectClient(service);
    const { id } = await client.start();
    await until('its page to be offered', () => workers?.offered.length === 1);
    for (let round = 0; round < 60; round += 1) {
      const held = Array.from({ length: 20 }, (_, i) => ({
        host: `h${round}-${i}.test`,
        until: new Date(Date.now() + 60_000),
        why: 'busy',
      }));
      await reported(id, held);
    }
    const log = await client.log(id);
    expect(log.length).toBeLessThan(130);
    expect(log.some((line) => line.includes('h0-0.test'))).toBe(true);
    expect(log.some((line) => line.includes('h59-'))).toBe(true);
    await client.cancel(id);
  });
});

describe('a run with a saved login', () => {
  const withLogin = (loginId: string) => ({
    options: captureOptions({ loginId }),
    scope: scopeOf({ useSitemap: false }),
  });

  it('stops offering pages when a page shows that the login is dead', async () => {
    workers = await servers.workers(siteOf(SITE));
    workers.loses = (piece) => {
      const [page] = piece.pages;
      if (page?.url !== `${HOME}/`) return false;
      const said = {
        verdict: 'blocked' as const,
        errorCode: 'LOGIN_REQUIRED' as const,
        httpStatus: 200,
        loginDead: true,
        links: [`${HOME}/a`],
      };
      void publishEnded({
        runId: piece.runId,
        workspaceId: piece.workspaceId,
        captureId: page.captureId,
        url: page.url,
        ...said,
      });
      return true;
    };
    const client = projectClient(service);
    const { id } = await client.start(withLogin(newId('run')));
    expect(await client.ended(id)).toMatchObject({ status: 'done', stop: 'login_dead', done: 1 });
    expect(workers.fetched.size).toBe(0);
    expect((await client.log(id)).filter((line) => line.startsWith('login'))).toHaveLength(1);
  });

  it('ends within two seconds of the deletion of the login, running or paused, and no other run does', async () => {
    workers = await servers.workers(siteOf(SITE));
    workers.isHeld = true;
    const loginId = newId('run');
    const first = projectClient(service);
    const second = projectClient(service, first.workspaceId);
    const other = projectClient(service, first.workspaceId);
    const stranger = projectClient(service);
    const [a, b, c, d] = [
      await first.start(withLogin(loginId)),
      await second.start(withLogin(loginId)),
      await other.start(withLogin(newId('run'))),
      await stranger.start(withLogin(loginId)),
    ];
    await second.pause(b.id);
    await until('three dispatched pages', () => (workers?.offered.length ?? 0) >= 3);
    for (const time of ['first', 'second']) {
      const event = { loginId, workspaceId: first.workspaceId };
      await bus.publish(events.loginDeleted.subject, [
        outgoingEvent(events.loginDeleted, `login:${loginId}:${time}`, event),
      ]);
    }
    // Two seconds, and eight for a loaded machine.
    expect(await first.ended(a.id, 10_000)).toMatchObject({ status: 'done', stop: 'login_dead', done: 0 });
    expect(await second.ended(b.id, 10_000)).toMatchObject({ status: 'done', stop: 'login_dead' });
    expect(await other.get(c.id)).toMatchObject({ status: 'running' });
    expect(await stranger.get(d.id)).toMatchObject({ status: 'running' });
    expect(await first.log(a.id)).toContain('login: its saved login was deleted');
    await until('the release of the reserved credits', async () => {
      const open = [...servers.billing.leases.values()].filter((lease) => lease.workspaceId === first.workspaceId);
      return open.length <= 1;
    });
    workers.isHeld = false;
    await Promise.all([other.ended(c.id), stranger.ended(d.id)]);
    expect(await first.get(a.id)).toMatchObject({ done: 0, creditsUsed: 0 });
  });
});
