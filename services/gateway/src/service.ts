import { buildOpenApi, routes } from '@tidemark/api';
import { loadCatalogue } from '@tidemark/catalogue';
import { USER_AGENT } from '@tidemark/egress/user-agent';
import { defineService } from '@tidemark/service';
import { Redis } from 'ioredis';
import { createApp } from './app.ts';
import { config } from './config.ts';
import { Authenticator } from './middleware/authenticate.ts';
import { RateLimiter } from './middleware/rate-limit.ts';
import { metaEndpoint } from './routes/about/meta-endpoint.ts';
import { crawlEndpoints } from './routes/crawl/crawl-endpoints.ts';
import { exitsEndpoint } from './routes/exits/exits-endpoint.ts';
import { mapEndpoints } from './routes/map/map-endpoints.ts';
import { playgroundEndpoints } from './routes/playground/playground-endpoints.ts';
import { projectEndpoints } from './routes/projects/project-endpoints.ts';
import { runEndpoints } from './routes/runs/run-endpoints.ts';
import { scrapeEndpoints } from './routes/scrape/scrape-endpoints.ts';
import { keyEndpoints } from './routes/workspace/key-endpoints.ts';
import { workspaceEndpoints } from './routes/workspace/workspace-endpoints.ts';
import { serveHttp } from './serve-http.ts';

/** The REST interface: who is asking, may they, is it well formed; the rest is asked of the other services. */
export const gateway = defineService({
  name: 'gateway',
  config,
  async start(app) {
    const { IDENTITY_ADDR, BILLING_ADDR, SCRAPE_ADDR, ARCHIVE_ADDR, CRAWL_ADDR } = app.config;
    const { REDIS_URL, LISTEN, PUBLIC_URL, MAX_BODY_BYTES } = app.config;
    const identity = app.dial('identity', IDENTITY_ADDR);
    const billing = app.dial('billing', BILLING_ADDR);
    const scrape = app.dial('scrape', SCRAPE_ADDR);
    const archive = app.dial('archive', ARCHIVE_ADDR);
    const crawl = app.dial('crawl', CRAWL_ADDR);
    const map = app.dial('map', app.config.MAP_ADDR);
    const projects = app.dial('projects', app.config.PROJECTS_ADDR);
    const redis = new Redis(REDIS_URL, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      commandTimeout: 250,
      retryStrategy: (tries) => Math.min(tries * 100, 1_000),
    });
    // Heard so that a Redis that is gone doesn't end the process; the limiter sees it by its status.
    redis.on('error', () => undefined);
    app.own({ close: () => redis.disconnect() });

    const catalogue = loadCatalogue(app.config.TIDEMARK_CATALOGUE);
    const authenticator = new Authenticator(identity, catalogue.plans);
    const endpoints = [
      ...scrapeEndpoints({ scrape, archive }),
      ...workspaceEndpoints({ identity, billing, plans: catalogue.plans, authenticator }),
      ...keyEndpoints({ identity, authenticator }),
      ...crawlEndpoints({ crawl, archive }),
      ...mapEndpoints(map),
      ...projectEndpoints(projects),
      ...runEndpoints({ projects, crawl, archive }),
      ...playgroundEndpoints({ scrape, archive }),
      exitsEndpoint(scrape),
      metaEndpoint({ catalogue, userAgent: USER_AGENT }),
    ];
    const unanswered = Object.values(routes).filter((route) => !endpoints.some((endpoint) => endpoint.route === route));
    if (unanswered.length > 0) throw new Error(`nobody answers ${unanswered.map((route) => route.id).join(', ')}`);

    const http = createApp({
      endpoints,
      authenticator,
      limiter: new RateLimiter(redis),
      publicUrl: PUBLIC_URL,
      openApi: (serverUrl) => buildOpenApi(Object.values(routes), serverUrl),
      ready: new Map(
        [identity, billing, scrape, archive, map, crawl, projects].map((peer) => [peer.service, () => peer.ready()]),
      ),
      maxBodyBytes: MAX_BODY_BYTES,
      log: app.log,
    });
    const server = await serveHttp(http, LISTEN);
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
