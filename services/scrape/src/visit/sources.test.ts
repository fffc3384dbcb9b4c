import { describe, expect, it } from '@jest/globals';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import { BACKOFF_POLICIES, isPermit, LocalHostLimiter } from '@tidemark/host-pace';
import { JobAttempts } from '@tidemark/jobs';
import { ATTEMPT_POLICIES } from '@tidemark/leased-work';
import { readRobots } from '@tidemark/robots';
import { createLogger } from '@tidemark/service';
import { captureOptions, takes, until } from '@tidemark/testkit';
import { BatchRunner } from '../batch/batch-runner.ts';
import { toCaptureOptions } from '../domain/capture-options.ts';
import type { ScrapeJob } from '../domain/job.ts';
import { unfetchedRow } from '../domain/page-row.ts';
import { makeRunJob } from '../jobs/run-job.ts';
import { PageVisitor } from './page-visitor.ts';

const log = createLogger('test', 'silent');
const HOST = 'site.test';
const NOW = new Date('2030-01-01T00:00:00Z');
const OPTIONS = toCaptureOptions({ ...captureOptions(), timeoutSeconds: 2, respectRobots: true });
const QUICK = {
  silent: { fails: 2, firstMs: 20, mostMs: 20, rounds: 2 },
  faulty: BACKOFF_POLICIES.faulty,
  robots: { ...BACKOFF_POLICIES.robots, firstMs: 40, mostMs: 40 },
};

interface Site {
  readonly respond?: (path: string) => { readonly status: number; readonly retryAfter?: number };
  readonly robots?: () => { readonly status: number; readonly body: string };
}

/** A visitor to a site, its pace, and the paths that were requested. Status 0: the site does not respond. */
function visitorTo({ respond = () => ({ status: 200 }), robots = () => ({ status: 404, body: '' }) }: Site) {
  const requested: string[] = [];
  const inFlight = { now: 0, most: 0 };
  const pace = new LocalHostLimiter({ policies: QUICK });
  const visitor = new PageVisitor({
    capture: async (task) => {
      const { pathname } = new URL(task.url);
      const policy = readRobots(`https://${HOST}/robots.txt`, robots(), 'Tidemark');
      const unread = { verdict: 'blocked', errorCode: 'NETWORK', reason: 'no page' } as const;
      if (!policy.decide(task.url).allowed) {
        const refusal = {
          verdict: 'robots',
          errorCode: 'BLOCKED',
          reason: 'robots.txt',
          signals: ['robots.txt'],
        } as const;
        return { row: unfetchedRow(task, NOW, { ...refusal, signals: [...refusal.signals] }), bodies: undefined };
      }
      requested.push(pathname);
      inFlight.now += 1;
      inFlight.most = Math.max(inFlight.most, inFlight.now);
      await takes(3);
      inFlight.now -= 1;
      const { status, retryAfter } = respond(pathname);
      const row = unfetchedRow(task, NOW, { ...unread, signals: status === 0 ? ['network: refused'] : [] });
      const requestedWait = status === 429 ? { seconds: retryAfter } : undefined;
      return { row: { ...row, httpStatus: status }, bodies: undefined, requestedWait };
    },
    robots: { policyOf: async () => readRobots(`https://${HOST}/robots.txt`, robots(), 'Tidemark') },
    pace,
    now: () => NOW,
    failedPauseMs: 5,
  });
  return { visitor, pace, requested, inFlight };
}

/** Captures one page as its source does. @returns its row; undefined if it was returned to the queue */
type CaptureAs = (visitor: PageVisitor, path: string) => Promise<PageRow | undefined>;

const asSingleScrape: CaptureAs = async (visitor, path) => {
  const run = makeRunJob({
    attempts: new JobAttempts({ leases: { postpone: async () => undefined }, log, maxRunning: 1, maxQueued: 1 }),
    jobs: { find: async () => undefined },
    visitor,
    extractPage: async (_, captured) => captured,
    settleFailure: (_, error) => Promise.reject(error),
    finishJob: async (job, { row }) => ({ job, page: { row, bodies: Buffer.alloc(0) } }),
    now: () => NOW,
  });
  const job: ScrapeJob = {
    id: 'job_1',
    workspaceId: 'ws_1',
    actorId: '',
    captureId: 'cap_1',
    kind: 'scrape',
    status: 'running',
    url: `https://${HOST}${path}`,
    options: OPTIONS,
    requestId: '',
    attempts: 1,
    credits: 0,
    pages: 0,
    total: 1,
    duplicates: 0,
    destinationId: undefined,
    error: undefined,
    createdAt: NOW,
    finishedAt: undefined,
  };
  return (await run(job, 1)).end?.page?.row;
};

const asBatchPage: CaptureAs = async (visitor, path) => {
  const page = { captureId: 'cap_1', jobId: 'job_1', host: HOST, url: `https://${HOST}${path}`, attempts: 1, held: 0 };
  const left = [page];
  let ended: PageRow | undefined;
  const runner = new BatchRunner({
    batches: {
      claim: async () => left.splice(0),
      waiting: async () => ({ left: 0, nextInMs: 0 }),
      renew: async (ids) => new Set(ids),
      retry: async () => undefined,
      hold: async () => undefined,
      postpone: async () => undefined,
      policy: ATTEMPT_POLICIES['scrape.batch_pages'],
    },
    findBatch: async () => ({
      id: 'job_1',
      workspaceId: 'ws_1',
      actorId: '',
      requestId: '',
      options: OPTIONS,
      concurrency: 1,
      delayMs: 0,
      sealedUrl: undefined,
      sealedSecret: undefined,
      webhookEvents: [],
      webhookMetadataJson: undefined,
      destinationId: undefined,
      createdAt: NOW,
    }),
    visitor,
    extractPage: async (_, captured) => captured,
    finish: async (_batch, _page, { row }) => {
      ended = row;
    },
    leaseCredits: async () => 1,
    exits: { isEmpty: true },
    ladder: [],
    log,
    now: () => NOW,
  });
  await runner.run('job_1', HOST);
  await runner.close();
  return ended;
};

describe('a host whose robots.txt has a fault', () => {
  it('is waited for by a page of a batch, which is requested after it', async () => {
    const backAtMs = performance.now() + 60;
    const robots = () => ({ status: performance.now() < backAtMs ? 503 : 404, body: '' });
    const { visitor, requested } = visitorTo({ robots });
    expect(await asBatchPage(visitor, '/page')).toMatchObject({ httpStatus: 200 });
    expect(performance.now()).toBeGreaterThanOrEqual(backAtMs);
    expect(requested).toEqual(['/page']);
  });

  it('forbids the page of a single scrape, whose client is not kept waiting', async () => {
    const { visitor, requested } = visitorTo({ robots: () => ({ status: 503, body: '' }) });
    expect(await asSingleScrape(visitor, '/page')).toMatchObject({ verdict: 'robots', httpStatus: 0 });
    expect(await asSingleScrape(visitor, '/other')).toMatchObject({ verdict: 'robots', httpStatus: 0 });
    expect(requested).toEqual([]);
  });
});

describe.each([
  ['a single scrape', asSingleScrape],
  ['a batch', asBatchPage],
])('a page of %s', (_, captureAs) => {
  it('ends without a request if its host is given up', async () => {
    const { visitor, requested } = visitorTo({ respond: () => ({ status: 0 }) });
    let row: PageRow | undefined;
    for (let pages = 0; pages < 6 && row?.reason.includes('given up') !== true; pages += 1)
      row = await captureAs(visitor, `/p${pages}`);
    expect(row).toMatchObject({ httpStatus: 0, signals: ['given up'] });
    const before = requested.length;
    expect((await captureAs(visitor, '/later'))?.reason).toContain('its host is given up for now');
    expect(requested).toHaveLength(before);
  });

  it('that robots.txt is known to refuse needs no permit of its host', async () => {
    const robots = () => ({ status: 200, body: 'User-agent: *\nDisallow: /private\nCrawl-delay: 9' });
    const { visitor, requested } = visitorTo({ robots });
    expect(await captureAs(visitor, '/first')).toMatchObject({ httpStatus: 200 });
    expect(await captureAs(visitor, '/private')).toMatchObject({ verdict: 'robots' });
    expect(requested).toEqual(['/first']);
  });

  it('is requested one at a time with the others of a folder that requested a wait', async () => {
    const { visitor, pace, requested, inFlight } = visitorTo({
      respond: () => (requested.length === 1 ? { status: 429, retryAfter: 1 } : { status: 200 }),
    });
    const paths = ['/folder/1', '/folder/2', '/folder/3'];
    const first = captureAs(visitor, '/folder/1');
    await until('the host is held', async () => {
      const permit = await pace.acquire(HOST, { concurrency: 9, delayMs: 0 });
      if (isPermit(permit)) await permit.release();
      return !isPermit(permit);
    });
    const rows = await Promise.all([first, captureAs(visitor, '/folder/2'), captureAs(visitor, '/folder/3')]);
    expect(rows.map((row) => row?.httpStatus)).toEqual([200, 200, 200]);
    expect(new Set(requested)).toEqual(new Set(paths));
    expect(inFlight.most).toBe(1);
  });
});

describe('a page whose host is held for longer than its source waits', () => {
  it('of a single scrape ends as RATE_LIMITED with the reason, without a request', async () => {
    const { visitor, pace, requested } = visitorTo({});
    await pace.hold(HOST, 60_000, 'it answered 429 with Retry-After: 60 s');
    expect(await asSingleScrape(visitor, '/page')).toMatchObject({
      errorCode: 'RATE_LIMITED',
      reason: expect.stringContaining('within 2 s: it answered 429 with Retry-After: 60 s'),
      credits: 0,
    });
    expect(requested).toEqual([]);
  });

  it('of a batch is returned to the queue, without a request', async () => {
    const { visitor, pace, requested } = visitorTo({});
    await pace.hold(HOST, 120_000, 'it answered 429 with Retry-After: 120 s');
    expect(await asBatchPage(visitor, '/page')).toBeUndefined();
    expect(requested).toEqual([]);
  });
});
