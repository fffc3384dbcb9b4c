import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { buildOpenApi, JobEnvelope, routes } from '@tidemark/api';
import { ALL_PROJECTS, accessToWire } from '@tidemark/contracts';
import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { createLogger, defineService, handle } from '@tidemark/service';
import { startService, withUnimplemented } from '@tidemark/testkit';
import { Redis } from 'ioredis';
import { createApp } from '../../services/gateway/src/app.ts';
import { endpoint } from '../../services/gateway/src/http/mount.ts';
import { serveHttp } from '../../services/gateway/src/http/serve-http.ts';
import { StreamSlots } from '../../services/gateway/src/http/stream-access.ts';
import { Authenticator } from '../../services/gateway/src/middleware/authenticate.ts';
import { RateLimiter } from '../../services/gateway/src/middleware/rate-limit.ts';
import { SessionCookie } from '../../services/gateway/src/middleware/session-cookie.ts';

/**
 * Measures the CPU of the gateway's HTTP server per request of Firecrawl's interface, next to the route that it calls. The handlers of those
 * routes return a fixed job, so that the rest of the product is left out: `npm run bench -- firecrawl`. The client is another process.
 */
const REQUESTS = 600;
/** Alternating measurements of each pair; the median counts. */
const ROUNDS = 5;
const RUN_ID = 'run_01j5xq2w8se6fa7t0a6q1n3k2m';
const ROW = {
  id: 'cap_01m821p20besg9awy79mvytmbm',
  url: 'https://example.com/',
  askedUrl: 'https://example.com',
  words: 28,

  httpStatus: 200,
  status: 'done',
  verdict: 'ok',
  errorCode: 'OK',
  shape: null,
  warnings: [],
  signals: [],

  reason: '',
  method: 'http',
  tier: 'http',
  climbedTo: null,
  credits: 1,
  billedAs: null,
  language: 'en',

  title: 'Example',
  widget: null,
  solved: null,
  exitBytes: 0,
  redirects: [],
  charset: 'utf-8',

  crawledAt: '2026-11-21T09:30:00.000Z',
  timingsMs: { fetch: 84, parse: 3, extract: 6 },
  fields: null,
  markdown: 'The quick brown fox jumps over the lazy dog. '.repeat(100),
  head: { description: 'A page', og: { title: 'Example' } },
  product: null,
  screenshot: null,
};

/** Returns a job with a number of pages. */
const jobOf = (kind: 'scrape' | 'crawl', pages: number): JobEnvelope =>
  JobEnvelope.parse({
    id: kind === 'crawl' ? RUN_ID : 'job_01j5xq2w8se6fa7t0a6q1n3k2m',
    kind,
    status: 'done',
    creditsUsed: pages,

    progress: { done: pages, total: pages, queued: 0 },
    counts: { ok: pages },
    stop: 'finished',
    error: null,

    createdAt: '2026-11-21T09:30:00.000Z',
    finishedAt: '2026-11-21T09:30:01.000Z',
    next: null,
    cursor: null,
    data: Array.from({ length: pages }, (_, at) => ({ ...ROW, url: `https://example.com/${at}` })),
    request_id: 'req_01m821pbfmesg9awyyx5413prj',
  });

/** Sends requests on four connections. */
const CLIENT = `
const http = require('node:http');
const [port, method, path, count, body] = process.argv.slice(1);
const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
let sent = 0;
const one = () => new Promise((resolve, reject) => {
  const headers = { authorization: 'Bearer service_bench', 'content-type': 'application/json' };
  const request = http.request({ port, host: '127.0.0.1', path, method, agent, headers }, (response) => {
    if (response.statusCode !== 200) reject(new Error(path + ' answered ' + response.statusCode));
    response.resume().on('end', resolve);
  });
  request.on('error', reject).end(body);
});
const repeat = async () => { while (sent++ < Number(count)) await one(); };
Promise.all([repeat(), repeat(), repeat(), repeat()]).then(() => process.exit(0), (error) => { console.error(error); process.exit(1); });
`;

const PLAN = {
  prices: {},
  allowance: null,
  overagePer1000: {},
  welcomeCredits: 0,
  rpm: 1_000_000_000,

  subAccounts: 0,
  features: [],
};
const key = {
  id: 'key_1',
  name: 'one',
  scopes: ['write'],
  access: accessToWire(ALL_PROJECTS),
  lastFour: '',
  createdAt: undefined,
  createdBy: '',
  isGrant: false,

  rpm: undefined,
  expiresAt: undefined,
  lastUsedAt: undefined,
};
const workspace = {
  id: 'ws_01j5xq2w8se6fa7t0a6q1n3k2m',
  name: 'one',
  plan: 'bench',
  maxRpm: undefined,
  createdAt: undefined,

  requireSecondFactor: false,
  parentId: '',
  suspendedAt: undefined,
};
const methods = [handle(Identity.authenticate, async () => ({ workspace, key }))];
const identity = await startService(
  defineService({
    name: 'identity',
    config: {},
    start: async (app) => app.serve(Identity, withUnimplemented(Identity, methods)),
  }),
  {},
);

const scraped = jobOf('scrape', 1);
const crawled = routes.getCrawl.responses[200].parse({
  ...jobOf('crawl', 100),
  paused: false,
  startedAt: '2026-11-21T09:30:00.000Z',
  held: [],
  traps: [],
  coverage: null,
});
const server = await serveHttp(
  createApp({
    billing: undefined,
    endpoints: [
      endpoint(routes.startScrape, async () => ({ status: 200, body: scraped })),
      endpoint(routes.getCrawl, async () => ({ status: 200, body: crawled })),
    ],
    cookie: new SessionCookie({ installation: '', isInsecure: false, publicUrl: undefined }),
    authenticator: new Authenticator(identity.peer, { bench: PLAN }),
    limiter: new RateLimiter(new Redis({ lazyConnect: true })),
    streams: new StreamSlots(),
    publicUrl: undefined,
    openApi: (serverUrl) => buildOpenApi(Object.values(routes), serverUrl),
    ready: new Map(),
    maxBodyBytes: 1_048_576,
    log: createLogger('gateway', 'fatal'),
  }),
  '127.0.0.1:0',
  { maxConnectionsPerAddress: 100 },
);
const address = server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;

interface Load {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
}

async function send({ method, path, body }: Load, count: number): Promise<void> {
  const args = [
    '-e',
    CLIENT,
    String(port),
    method,
    path,
    String(count),
    body === undefined ? '' : JSON.stringify(body),
  ];
  const [code] = await once(spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] }), 'exit');
  if (code !== 0) throw new Error(`${method} ${path} failed`);
}

/** Returns the CPU of this process per request, ms. */
async function measure(load: Load): Promise<number> {
  const before = process.cpuUsage();
  await send(load, REQUESTS);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000 / REQUESTS;
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

async function compare(name: string, native: Load, firecrawl: Load): Promise<void> {
  for (const load of [native, firecrawl]) await send(load, 200);
  const rounds: { readonly native: number; readonly firecrawl: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push({ native: await measure(native), firecrawl: await measure(firecrawl) });
  const own = median(rounds.map((round) => round.native));
  const other = median(rounds.map((round) => round.firecrawl));
  const overhead = median(rounds.map((round) => round.firecrawl - round.native));
  const texts = [own, other, overhead].map((ms) => ms.toFixed(2).padStart(6));
  console.log(`${name.padEnd(28)} native ${texts[0]}   Firecrawl ${texts[1]}   overhead ${texts[2]} ms CPU a request`);
}

const url = 'https://example.com/';
await compare(
  'scrape of one page',
  { method: 'POST', path: '/v1/scrape', body: { url, config: { formats: ['markdown'], wait_for: 200 } } },
  { method: 'POST', path: '/firecrawl/v2/scrape', body: { url, formats: ['markdown'], waitFor: 200, origin: 'sdk' } },
);
await compare(
  'crawl status with 100 pages',
  { method: 'GET', path: `/v1/crawl/${RUN_ID}?limit=100` },
  { method: 'GET', path: `/firecrawl/v2/crawl/${RUN_ID}` },
);
process.exit(0);
