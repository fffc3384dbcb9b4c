import { buildOpenApi, routes } from '@tidemark/api';
import { loadCatalogue } from '@tidemark/catalogue';
import { ALL_PROJECTS, accessToWire } from '@tidemark/contracts';
import { CrawlServiceService as Crawl, type Run } from '@tidemark/contracts/crawl/v1/crawl';
import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, createLogger, defineService, handle } from '@tidemark/service';
import { dialAsOperator, type RunningService, startService, withUnimplemented } from '@tidemark/testkit';
import { Redis } from 'ioredis';
import { allEndpoints } from '../src/app/all-endpoints.ts';
import { createApp } from '../src/app/app.ts';
import { serveHttp } from '../src/http/serve-http.ts';
import { StreamSlots } from '../src/http/stream-access.ts';
import { Authenticator } from '../src/middleware/authenticate.ts';
import { RateLimiter } from '../src/middleware/rate-limit.ts';
import { SessionCookie } from '../src/middleware/session-cookie.ts';

export const RUN_ID = 'run_01j5xq2w8se6fa7t0a6q1n3k2m';
const WORKSPACE_ID = 'ws_01j5xq2w8se6fa7t0a6q1n3k2m';

/** A REST server with a fake identity and a fake crawl; its other services are unavailable. */
export interface GatewayWithFakes {
  readonly url: string;
  /** Secrets that authenticate; each is a key of its own. */
  readonly secrets: Set<string>;
  /** Number of calls by method. */
  readonly calls: Record<'authenticate' | 'getRun' | 'listEnded', number>;
  /** The state of the only run, which a test replaces; undefined: it is gone. */
  run: Run | undefined;
  close(): Promise<void>;
}

export const RUN: Run = {
  id: RUN_ID,
  seed: 'https://example.com/',
  status: 'running',
  paused: false,
  createdAt: new Date(),

  done: 0,
  total: 1,
  queued: 1,
  creditsUsed: 0,
  requestId: '',
  formats: [],
  counts: {},
  held: [],
  traps: [],

  trigger: 'crawl',
  projectId: '',
  finishedAt: undefined,
  startedAt: undefined,
  stop: undefined,
  error: undefined,
  hasCoverage: false,
  coverage: undefined,
};

export async function startGatewayWithFakes(): Promise<GatewayWithFakes> {
  const state = { secrets: new Set<string>(), calls: { authenticate: 0, getRun: 0, listEnded: 0 }, run: RUN };
  const [identity, crawl] = await Promise.all([startIdentity(state), startCrawl(state)]);
  const nowhere = dialAsOperator('nowhere', '127.0.0.1:1');
  const peers = {
    identity: identity.peer,
    crawl: crawl.peer,
    billing: nowhere,
    scrape: nowhere,
    browserPool: nowhere,

    archive: nowhere,
    map: nowhere,
    projects: nowhere,
    diff: nowhere,
    export: nowhere,
    delivery: nowhere,
  };
  const catalogue = loadCatalogue(undefined);
  const authenticator = new Authenticator(peers.identity, catalogue.plans);
  const app = createApp({
    billing: undefined,
    endpoints: allEndpoints({ peers, catalogue, authenticator }),

    cookie: new SessionCookie({ installation: '', isInsecure: false, publicUrl: undefined }),
    authenticator,
    limiter: new RateLimiter(new Redis({ lazyConnect: true })),
    streams: new StreamSlots(),

    publicUrl: undefined,
    openApi: (url) => buildOpenApi(Object.values(routes), url),
    ready: new Map(),

    maxBodyBytes: 1_000_000,
    log: createLogger('gateway', 'silent'),
  });
  const server = await serveHttp(app, '127.0.0.1:0');
  const bound = server.address();
  return Object.assign(state, {
    url: `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : bound}/v1`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all([identity.close(), crawl.close(), nowhere.close()]);
    },
  });
}

type State = Pick<GatewayWithFakes, 'secrets' | 'calls' | 'run'>;

const startFake = (
  name: string,
  service: typeof Crawl | typeof Identity,
  methods: BoundMethod[],
): Promise<RunningService> =>
  startService(
    defineService({ name, config: {}, start: async (app) => app.serve(service, withUnimplemented(service, methods)) }),
    {},
  );

const startIdentity = (state: State) =>
  startFake('identity', Identity, [
    handle(Identity.authenticate, async ({ secret }) => {
      state.calls.authenticate += 1;
      if (!state.secrets.has(secret)) throw new AppError('unauthorized', 'this API key is not valid');
      const key = {
        id: `key_${secret}`,
        name: 'one',
        scopes: ['read'],
        access: accessToWire(ALL_PROJECTS),
        lastFour: '',
        createdAt: undefined,
        createdBy: '',
        isGrant: secret.startsWith('grant'),
      };
      const times = { rpm: undefined, expiresAt: undefined, lastUsedAt: undefined };
      const workspace = {
        id: WORKSPACE_ID,
        name: 'one',
        plan: 'scale',
        maxRpm: undefined,
        createdAt: undefined,
        requireSecondFactor: false,
        parentId: '',
        suspendedAt: undefined,
      };
      return { workspace, key: { ...key, ...times } };
    }),
  ]);

const startCrawl = (state: State) =>
  startFake('crawl', Crawl, [
    handle(Crawl.getRun, async () => {
      state.calls.getRun += 1;
      if (state.run === undefined) throw new AppError('not_found', 'run not found');
      return { run: state.run, log: [] };
    }),
    handle(Crawl.listEnded, async () => {
      state.calls.listEnded += 1;
      return { pages: [], run: state.run };
    }),
  ]);
