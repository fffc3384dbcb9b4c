import { describe, expect, it } from '@jest/globals';
import { BACKOFF_POLICIES, LocalHostLimiter, type Wait } from '@tidemark/host-pace';
import { readRobots } from '@tidemark/robots';
import { captureOptions, takes, until } from '@tidemark/testkit';
import type { Captured } from '../capture/capture-deps.ts';
import { toCaptureOptions } from '../domain/capture-options.ts';
import { unfetchedRow } from '../domain/page-row.ts';
import type { PageTask } from '../domain/page-task.ts';
import { PageVisitor, type Visit } from './page-visitor.ts';

const HOST = 'site.test';
const QUICK = {
  silent: { ...BACKOFF_POLICIES.silent, firstMs: 30, mostMs: 60 },
  faulty: { ...BACKOFF_POLICIES.faulty, firstMs: 20, mostMs: 20 },
  robots: { ...BACKOFF_POLICIES.robots, firstMs: 40, mostMs: 40 },
};
const NOW = new Date('2030-01-01T00:00:00Z');

type ApiResponse = { status: number; retryAfter?: number } | 'refused' | 'robots';

/** A visitor to a host with these responses, and the requests it made. */
function visitorTo(
  respond: (path: string, times: number) => ApiResponse,
  robotsOf = () => ({ status: 404, body: '' }),
  retries = 2,
) {
  const requested: { readonly path: string; readonly atMs: number }[] = [];
  const waits: Wait[] = [];
  let inFlight = 0;
  let mostInFlight = 0;
  const visitor = new PageVisitor({
    capture: async (task) => {
      const path = new URL(task.url).pathname;
      requested.push({ path, atMs: performance.now() });
      inFlight += 1;
      mostInFlight = Math.max(mostInFlight, inFlight);
      await takes(2);
      inFlight -= 1;
      return capturedAs(task, respond(path, requested.filter((each) => each.path === path).length));
    },
    robots: { policyOf: async () => readRobots(`https://${HOST}/robots.txt`, robotsOf(), 'Tidemark') },
    pace: new LocalHostLimiter({ policies: QUICK }),
    now: () => NOW,
    failedPauseMs: 100,
  });
  /** @returns the page, or its wait if it was postponed; undefined if it was cancelled */
  const visit = async (path: string, more: Partial<Visit> = {}) => {
    const visited = await visitor.visit({
      kind: 'scrape',
      task: taskOf(path, retries),
      pace: { concurrency: 8, delayMs: 0 },
      leaseCredits: async () => 1,
      signal: new AbortController().signal,
      waitBudgetMs: Number.POSITIVE_INFINITY,
      waitsForRobots: true,
      held: 0,
      control: { mayWait: () => true, mayFetch: () => true, onWait: (wait) => void waits.push(wait) },
      ...more,
    });
    if (visited.kind === 'stopped') return undefined;
    const row = visited.captured?.row;
    return visited.kind === 'postponed'
      ? { row, postponed: visited.wait, isHostGivenUp: false }
      : { row, postponed: undefined, isHostGivenUp: visited.isHostGivenUp };
  };
  return { visit, requested, waits, mostInFlight: () => mostInFlight };
}

const taskOf = (path: string, retries: number): PageTask => ({
  jobId: 'run_1',
  captureId: `cap${path}`,
  workspaceId: 'ws_1',
  url: `https://${HOST}${path}`,
  options: toCaptureOptions({ ...captureOptions(), retries, respectRobots: true }),
  session: 'run_1',
  priority: 'run',
});

function capturedAs(task: PageTask, respond: ApiResponse): Captured {
  const blank = { verdict: 'blocked', errorCode: 'NETWORK', reason: 'the site could not be reached' } as const;
  if (respond === 'robots')
    return {
      row: unfetchedRow(task, NOW, { ...blank, verdict: 'robots', signals: ['robots.txt'] }),
      bodies: undefined,
    };
  const row = unfetchedRow(task, NOW, { ...blank, signals: respond === 'refused' ? ['network: refused'] : [] });
  if (respond === 'refused') return { row, bodies: undefined };
  const { status, retryAfter } = respond;
  const requested = status === 429 || retryAfter !== undefined ? { requestedWait: { seconds: retryAfter } } : {};
  return {
    row: { ...row, httpStatus: status, verdict: status < 400 ? 'ok' : 'blocked' },
    bodies: undefined,
    ...requested,
  };
}

const paths = (count: number) => Array.from({ length: count }, (_, at) => `/p${at}`);
type Result = { readonly row: Captured['row'] | undefined } | undefined;
const statuses = (visited: readonly Result[]) => visited.map((each) => each?.row?.httpStatus);

describe('a page whose host requests a wait', () => {
  it('waits with every other page of it, and none of them has used up a try', async () => {
    const { visit, requested, waits } = visitorTo((path, times) =>
      path === '/p0' && times === 1 ? { status: 429, retryAfter: 1 } : { status: 200 },
    );
    const first = visit('/p0');
    await until('the host to be held', () => waits.some(({ why }) => why !== undefined));
    const rest = paths(6)
      .slice(1)
      .map((path) => visit(path));
    expect(statuses(await Promise.all([first, ...rest]))).toEqual([200, 200, 200, 200, 200, 200]);
    const [before, ...after] = requested;
    expect(Math.min(...after.map(({ atMs }) => atMs)) - (before?.atMs ?? 0)).toBeGreaterThanOrEqual(990);
    expect(waits.some(({ why }) => why === 'it answered 429 with Retry-After: 1 s')).toBe(true);
  });

  it('is read in the end where its folder lets through one page at a time', async () => {
    let openAtMs = 0;
    let refused = 0;
    const { visit } = visitorTo(() => {
      const nowMs = performance.now();
      if (nowMs < openAtMs) {
        refused += 1;
        return { status: 429, retryAfter: 0 };
      }
      openAtMs = nowMs + 100;
      return { status: 200 };
    });
    const visited = await Promise.all(paths(4).map((path) => visit(path)));
    expect(statuses(visited)).toEqual([200, 200, 200, 200]);
    expect(refused).toBeLessThanOrEqual(6);
  });
});

describe('a host that gives no response', () => {
  it('is left alone, and its pages wait until it is back: all are read, and hardly any request was made meanwhile', async () => {
    const backAtMs = performance.now() + 200;
    const { visit, requested } = visitorTo(() => (performance.now() < backAtMs ? 'refused' : { status: 200 }));
    const visited = await Promise.all(paths(12).map((path) => visit(path)));
    const lost = visited.filter((each) => each?.row?.httpStatus !== 200);
    expect(lost).toEqual([]);
    expect(requested.filter(({ atMs }) => atMs < backAtMs).length).toBeLessThanOrEqual(
      8 + QUICK.silent.fails + QUICK.silent.rounds,
    );
  });

  it('is given up, and its remaining pages end without a request and with the reason', async () => {
    const { visit, requested } = visitorTo(() => 'refused');
    const visited = await Promise.all(paths(40).map((path) => visit(path)));
    expect(visited.every((each) => each?.isHostGivenUp === true)).toBe(true);
    expect(visited.filter((each) => each?.row?.reason.includes('given up')).length).toBeGreaterThanOrEqual(30);
    expect(requested.length).toBeLessThanOrEqual(8 + QUICK.silent.fails + QUICK.silent.rounds + 1);
  });

  it('that serves other pages fails only the page that gets no response, after a retry', async () => {
    const { visit, requested } = visitorTo((path) => (path === '/p3' ? 'refused' : { status: 200 }));
    const visited = await Promise.all(paths(6).map((path) => visit(path)));
    expect(statuses(visited)).toEqual([200, 200, 200, 0, 200, 200]);
    expect(visited.some((each) => each?.isHostGivenUp)).toBe(false);
    expect(requested.filter(({ path }) => path === '/p3')).toHaveLength(2);
  });

  it('stops waiting when its page is cancelled', async () => {
    const { visit, waits } = visitorTo(() => ({ status: 429, retryAfter: 60 }));
    const stop = new AbortController();
    const visiting = visit('/p0', { signal: stop.signal });
    await until('the page to wait', () => waits.length > 0);
    stop.abort();
    expect(await visiting).toBeUndefined();
  });
});

describe('a page whose source waits for a limited time', () => {
  it('is postponed with the response that requested the wait, and the time until the next try', async () => {
    const { visit, requested } = visitorTo(() => ({ status: 429, retryAfter: 30 }));
    const visited = await visit('/p0', { waitBudgetMs: 1_000 });
    expect(visited).toMatchObject({ row: { httpStatus: 429 }, postponed: { why: expect.stringContaining('429') } });
    expect(visited?.postponed?.ms).toBeGreaterThan(25_000);
    expect(requested).toHaveLength(1);
  });

  it('is postponed without a request while its host is held, and fetched when it is not', async () => {
    const { visit, requested } = visitorTo(() => ({ status: 429, retryAfter: 2 }));
    await visit('/p0', { waitBudgetMs: 200 });
    expect(await visit('/p1', { waitBudgetMs: 200 })).toMatchObject({
      row: undefined,
      postponed: { why: expect.stringContaining('429') },
    });
    expect(requested).toHaveLength(1);
    expect(await visit('/p1', { waitBudgetMs: 2_500 })).toMatchObject({ row: { httpStatus: 429 } });
    expect(requested).toHaveLength(2);
  });

  it('is not fetched again after an error if that would take longer', async () => {
    const { visit, requested } = visitorTo(() => ({ status: 500 }));
    expect(await visit('/p0', { waitBudgetMs: 50 })).toMatchObject({ row: { httpStatus: 500 }, postponed: undefined });
    expect(requested).toHaveLength(1);
  });
});

describe('a host that returns server errors', () => {
  it.each([0, 1, 3])('is requested again for one page up to %i retries of its configuration', async (retries) => {
    const { visit, requested } = visitorTo((path) => ({ status: path === '/p3' ? 500 : 200 }), undefined, retries);
    const visited = await Promise.all(paths(6).map((path) => visit(path)));
    expect(statuses(visited)).toEqual([200, 200, 200, 500, 200, 200]);
    expect(requested.filter(({ path }) => path === '/p3')).toHaveLength(1 + retries);
  });

  it('is requested at growing intervals, one page at a time', async () => {
    const { visit, requested } = visitorTo(() => ({ status: 503 }));
    const visited = await Promise.all(paths(40).map((path) => visit(path)));
    expect(requested.length).toBeLessThanOrEqual(8 + QUICK.faulty.fails + QUICK.faulty.rounds + 1);
    expect(visited.at(-1)?.isHostGivenUp).toBe(true);
  });

  it('that recovers soon loses no page', async () => {
    const backAtMs = performance.now() + 60;
    const { visit } = visitorTo(() => ({ status: performance.now() < backAtMs ? 500 : 200 }));
    const visited = await Promise.all(paths(20).map((path) => visit(path)));
    expect(new Set(statuses(visited))).toEqual(new Set([200]));
  });
});

describe('a robots.txt', () => {
  it('that forbids a page costs its host no turn for it', async () => {
    const body = 'User-agent: *\nDisallow: /private\nCrawl-delay: 60';
    const { visit } = visitorTo(
      (path) => (path === '/private' ? 'robots' : { status: 200 }),
      () => ({ status: 200, body }),
    );
    await visit('/p0');
    expect((await visit('/private'))?.row?.verdict).toBe('robots');
  });

  it('that answers with a fault holds the host, whose pages are read once it is had', async () => {
    const backAtMs = performance.now() + 100;
    const robots = () => ({ status: performance.now() < backAtMs ? 503 : 404, body: '' });
    const { visit, requested, waits } = visitorTo(() => ({ status: 200 }), robots);
    expect(statuses(await Promise.all(paths(5).map((path) => visit(path))))).toEqual([200, 200, 200, 200, 200]);
    expect(requested.every(({ atMs }) => atMs >= backAtMs)).toBe(true);
    expect(waits.find(({ why }) => why !== undefined)?.why).toContain('robots.txt answers 503');
  });

  it('ends its pages unfetched if the host keeps failing, as robots.txt requires', async () => {
    const { visit } = visitorTo(
      () => 'robots',
      () => ({ status: 500, body: '' }),
    );
    const visited = await Promise.all(paths(3).map((path) => visit(path)));
    expect(visited.map((each) => each?.isHostGivenUp)).toEqual([true, true, true]);
    expect(visited.map((each) => each?.row?.verdict)).toEqual(['robots', 'robots', 'robots']);
  });

  it.each([401, 403, 404, 410])('that answers %d holds nothing', async (status) => {
    const { visit, waits } = visitorTo(
      () => ({ status: 200 }),
      () => ({ status, body: '' }),
    );
    expect(statuses([await visit('/p0')])).toEqual([200]);
    expect(waits).toEqual([]);
  });

  it('applies the crawl-delay from the first page on, and reports a long one', async () => {
    const robots = { body: 'User-agent: *\nCrawl-delay: 0.2' };
    const { visit, requested } = visitorTo(
      () => ({ status: 200 }),
      () => ({ status: 200, ...robots }),
    );
    await Promise.all(paths(4).map((path) => visit(path)));
    const gaps = requested.slice(1).map(({ atMs }, at) => atMs - (requested[at]?.atMs ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(180);
    const slow = visitorTo(
      () => ({ status: 200 }),
      () => ({ status: 200, body: 'User-agent: *\nCrawl-delay: 30' }),
    );
    await slow.visit('/p0');
    const stop = new AbortController();
    const second = slow.visit('/p1', { signal: stop.signal });
    await until('the second to wait', () => slow.waits.length > 0);
    expect(slow.waits.at(-1)?.why).toBe('robots.txt requires 30 s between two fetches');
    stop.abort();
    await second;
  });
});
