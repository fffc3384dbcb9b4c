import { describe, expect, it } from '@jest/globals';
import { FetchFailed } from '@tidemark/egress';
import { AppError } from '@tidemark/errors';
import { readBody } from '@tidemark/page-reader';
import { captureOptions } from '@tidemark/testkit';
import { toCaptureOptions } from '../domain/capture-options.ts';
import type { Rung } from '../domain/ladder.ts';
import type { PageTask } from '../domain/page-task.ts';
import type { Engine, Fetched, NoResponse } from '../domain/ports.ts';
import { NO_EXITS } from '../exits/no-exits.ts';
import { LoginDeletions } from '../logins/login-deletions.ts';
import type { KeptReading } from '../reader/keep-bodies.ts';
import { Unreadable } from '../reader/read-pool.ts';
import { PageCapture } from './capture-page.ts';

const LADDER: readonly Rung[] = [
  { tier: 'http', exit: false, credits: 1 },
  { tier: 'http', exit: true, credits: 2 },
  { tier: 'browser', exit: false, credits: 5 },
  { tier: 'browser', exit: true, credits: 10 },
];
const REQUESTED_URL = 'https://example.com/page';
const AT = new Date('2026-11-21T00:00:00Z');

const fetched = (html: string, status = 200): Fetched => ({
  kind: 'fetched',
  status,
  headers: {},
  body: Buffer.from(html),
  contentType: 'text/html',
  landedUrl: REQUESTED_URL,
  redirects: [],
});
const silent: NoResponse = {
  kind: 'no_response',
  errorCode: 'TIMEOUT',
  reason: 'too slow',
  signal: 'network: timeout',
};
const article = `<main><h1>Tides</h1><p>${'salt and rope and keel '.repeat(50)}</p></main>`;
const shell =
  '<!doctype html><html><head><script src="/static/js/main.js"></script></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>';

const page: PageTask = {
  jobId: 'job_1',
  captureId: 'cap_1',
  workspaceId: 'ws_1',
  url: REQUESTED_URL,
  options: toCaptureOptions(captureOptions({ timeoutSeconds: 5 })),
  session: '',
  priority: 'interactive',
};

type EngineResponses = Partial<Record<'http' | 'browser', Fetched | NoResponse | Error>>;

/** Captures with engines that return fixed results, and the real reader. */
async function capture(
  responses: EngineResponses,
  more: {
    leased?: number;
    robots?: () => Promise<{ allowed: boolean; reason: string }>;
    read?: () => Promise<KeptReading>;
  } = {},
) {
  const tried: string[] = [];
  const engineOf = (tier: 'http' | 'browser'): [string, Engine] => [
    tier,
    {
      tier,
      async fetch() {
        tried.push(tier);
        const response = responses[tier] ?? silent;
        if (!('kind' in response)) throw response;
        return response;
      },
    },
  ];
  const capture = new PageCapture({
    ladder: LADDER,
    engines: new Map([engineOf('http'), engineOf('browser')]),
    robots: { check: more.robots ?? (async () => ({ allowed: true, reason: '' })) },
    reader: { read: more.read ?? (async (task) => ({ ...(await readBody(task)), kept: undefined })) },
    exits: NO_EXITS,
    memory: { startRung: () => undefined, updateFingerprint: () => undefined },
    openLogin: async () => undefined,
    loginDeletions: new LoginDeletions(),
    findEarlier: async () => undefined,
    readBodies: async () => undefined,
    now: () => AT,
  });
  const budget = { remainingMs: () => 5_000, signal: new AbortController().signal };
  const { row, bodies } = await capture.capture(page, more.leased ?? 5, budget);
  return { row, bodies, tried };
}

describe('a capture', () => {
  it('stops at the first engine that reads the page', async () => {
    const { row, tried } = await capture({ http: fetched(article) });
    expect(tried).toEqual(['http']);
    expect(row).toMatchObject({ id: 'cap_1', verdict: 'ok', tier: 'http', credits: 1, climbedTo: undefined });
    expect(row.timingsMs).toEqual({ robots: expect.any(Number), fetch: expect.any(Number), read: expect.any(Number) });
  });

  it('that needed the browser is charged as the browser’s page', async () => {
    const { row, tried } = await capture({ http: fetched(shell), browser: fetched(article) });
    expect(tried).toEqual(['http', 'browser']);
    expect(row).toMatchObject({ verdict: 'ok', tier: 'browser', credits: 5, billedAs: undefined });
  });

  it('keeps what plain http read where only the browser got no response', async () => {
    const { row } = await capture({ http: fetched(shell), browser: silent });
    expect(row).toMatchObject({ tier: 'http', httpStatus: 200, errorCode: 'SHELL', credits: 0 });
  });

  it('ends with a row, free of charge, where the web gives no response', async () => {
    const { row, bodies } = await capture({ http: silent });
    expect(row).toMatchObject({
      verdict: 'blocked',
      errorCode: 'TIMEOUT',
      httpStatus: 0,
      credits: 0,
      reason: 'too slow',
    });
    expect(bodies).toBeUndefined();
  });

  it('of a page no reader can bear ends with a TIMEOUT row, free of charge', async () => {
    const read = () => Promise.reject(new Unreadable('the page took longer than 8000 ms to read'));
    const { row } = await capture({ http: fetched(article) }, { read });
    expect(row).toMatchObject({ verdict: 'blocked', errorCode: 'TIMEOUT', credits: 0, signals: ['unreadable page'] });
  });

  it('climbs no higher than the credits set aside for it', async () => {
    const { row, tried } = await capture({ http: fetched(shell), browser: fetched(article) }, { leased: 4 });
    expect(tried).toEqual(['http']);
    expect(row).toMatchObject({ verdict: 'blocked', errorCode: 'BUDGET_EXHAUSTED', credits: 0, climbedTo: 'http' });
  });

  it('that finds nothing set aside fetches nothing', async () => {
    const { row, tried } = await capture({ http: fetched(article) }, { leased: 0 });
    expect(tried).toEqual([]);
    expect(row).toMatchObject({ verdict: 'blocked', errorCode: 'BUDGET_EXHAUSTED', credits: 0 });
  });

  it('fetches nothing that robots.txt disallows, and says so', async () => {
    const robots = async () => ({ allowed: false, reason: 'line 2' });
    const { row, tried } = await capture({ http: fetched(article) }, { robots });
    expect(tried).toEqual([]);
    expect(row).toMatchObject({ verdict: 'robots', reason: 'line 2', credits: 0 });
  });

  it('of a host whose robots.txt can’t be reached is a network row', async () => {
    const robots = () => Promise.reject(new FetchFailed('refused'));
    const { row, tried } = await capture({ http: fetched(article) }, { robots });
    expect(tried).toEqual([]);
    expect(row).toMatchObject({ verdict: 'blocked', errorCode: 'NETWORK', signals: ['network: refused'], credits: 0 });
  });

  it('throws an internal failure, so that the capture is retried and no row is recorded', async () => {
    const failure = new AppError('unavailable', 'every browser is busy');
    await expect(capture({ http: fetched(shell), browser: failure })).rejects.toBe(failure);
  });
});
