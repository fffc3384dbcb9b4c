import { buildOpenApi, routes } from '@tidemark/api';
import { loadCatalogue } from '@tidemark/catalogue';
import { defineService, type Peer, parseListen, parseSharedKeys, serviceOfRestRequest } from '@tidemark/service';
import { Redis } from 'ioredis';
import { allEndpoints, type Peers } from './app/all-endpoints.ts';
import { createApp } from './app/app.ts';
import { config } from './config.ts';
import { readConsole } from './console/console-files.ts';
import { serveHttp } from './http/serve-http.ts';
import { StreamSlots } from './http/stream-access.ts';
import { AuthFailures } from './middleware/auth-failures.ts';
import { Authenticator } from './middleware/authenticate.ts';
import { RateLimiter } from './middleware/rate-limit.ts';
import { SessionCookie } from './middleware/session-cookie.ts';
import { AuthorizationCodes } from './oauth/authorization-codes.ts';
import { OAuthClients } from './oauth/oauth-clients.ts';
import { RequestBuffer } from './request-log/request-buffer.ts';
import { ContinuedJobStore } from './routes/firecrawl/continued-job-store.ts';

/** Interval at which calls in sub-accounts are recorded, ms. */
const RECORD_CALLS_MS = 2_000;

/** The REST interface: authentication, rate limits, validation and the envelope. Calls the other services over gRPC. */
export const gateway = defineService({
  name: 'gateway',
  config,
  async start(app) {
    const { REDIS_URL, LISTEN, PUBLIC_URL, MAX_BODY_BYTES, TRUSTED_PROXIES: isTrustedProxy } = app.config;
    const peers: Peers = {
      identity: app.dial('identity', app.config.IDENTITY_ADDR),
      billing: app.dial('billing', app.config.BILLING_ADDR),
      scrape: app.dial('scrape', app.config.SCRAPE_ADDR),
      browserPool: app.dial('browser-pool', app.config.BROWSER_POOL_ADDR),
      archive: app.dial('archive', app.config.ARCHIVE_ADDR),
      crawl: app.dial('crawl', app.config.CRAWL_ADDR),
      map: app.dial('map', app.config.MAP_ADDR),
      projects: app.dial('projects', app.config.PROJECTS_ADDR),
      diff: app.dial('diff', app.config.DIFF_ADDR),
      export: app.dial('export', app.config.EXPORT_ADDR),
      delivery: app.dial('delivery', app.config.DELIVERY_ADDR),
    };
    const redis = openRedis(REDIS_URL);
    app.own({ close: () => redis.disconnect() });

    const catalogue = loadCatalogue(app.config.TIDEMARK_CATALOGUE);
    const failures = new AuthFailures(app.config.AUTH_FAILURES_PER_MINUTE);
    const authenticator = new Authenticator(peers.identity, catalogue.plans, failures);
    const recording = setInterval(() => authenticator.subAccounts.flush(), RECORD_CALLS_MS);
    app.own({ close: () => clearInterval(recording) });
    const { INSTALLATION: installation, INSECURE_COOKIES, CONSOLE_DIR, MCP_URL: resource, FLEET_KEYS } = app.config;
    const fleetKeys = parseSharedKeys(FLEET_KEYS);
    const clients = new OAuthClients(fleetKeys);
    const oauth = { clients, codes: new AuthorizationCodes(redis), identity: peers.identity, failures };
    const requestLog = app.own(new RequestBuffer(peers.identity, app.log));
    const http = createApp({
      requestLog: { add: (request) => requestLog.add(request) },
      cookie: new SessionCookie({ installation, isInsecure: INSECURE_COOKIES === '1', publicUrl: PUBLIC_URL }),
      endpoints: allEndpoints({ peers, catalogue, authenticator }),
      authenticator,
      isFromMcp: (credential) => serviceOfRestRequest(credential, fleetKeys) === 'mcp',

      limiter: new RateLimiter(redis),
      continuedJobs: new ContinuedJobStore(redis),
      streams: new StreamSlots(),
      publicUrl: PUBLIC_URL,
      docsUrl: PUBLIC_URL ?? `http://localhost:${parseListen(LISTEN).port}/v1`,
      isTrustedProxy,
      openApi: (serverUrl) => buildOpenApi(Object.values(routes), serverUrl),
      ready: new Map(Object.values(peers).map((peer: Peer) => [peer.service, () => peer.ready()])),
      maxBodyBytes: MAX_BODY_BYTES,
      console: CONSOLE_DIR === '' ? undefined : readConsole(CONSOLE_DIR),
      billing: peers.billing,
      oauth: resource === undefined ? undefined : { ...oauth, resource },
      log: app.log,
    });
    const maxConnectionsPerAddress = app.config.MAX_CONNECTIONS_PER_ADDRESS;
    const server = await serveHttp(http, LISTEN, { maxConnectionsPerAddress, isTrustedProxy });
    app.own({
      close: () =>
        new Promise<void>((resolve) => {
          server.close(() => resolve());
          server.closeIdleConnections();
          setTimeout(() => server.closeAllConnections(), 4_000).unref();
        }),
    });
  },
});

/** Opens Redis so that a command fails at once where it is unavailable: a request does not wait for it. */
function openRedis(url: string): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 250,
    retryStrategy: (tries) => Math.min(tries * 100, 1_000),
  });
  // Without a listener the error event would end the process. The rate limiter checks the connection status.
  redis.on('error', () => undefined);
  return redis;
}
