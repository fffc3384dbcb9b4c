import { AppError } from '@tidemark/errors';
import { type Logger, memoryGuard, notReady, type ReadyCheck } from '@tidemark/service';
import express, { type Express } from 'express';
import { docsPage } from './docs/docs-page.ts';
import { type Endpoint, type MountOptions, mount } from './http/mount.ts';
import { cors } from './middleware/cors.ts';
import { errorEnvelope } from './middleware/error-envelope.ts';
import { observeRequests } from './middleware/observe.ts';
import { refuseWhenFull } from './middleware/refuse-when-full.ts';
import { requestId } from './middleware/request-id.ts';
import { securityHeaders } from './middleware/security-headers.ts';

export interface AppDeps extends MountOptions {
  readonly endpoints: readonly Endpoint[];
  readonly openApi: (serverUrl: string) => Record<string, unknown>;
  readonly ready: ReadonlyMap<string, ReadyCheck>;
  readonly maxBodyBytes: number;
  readonly log: Logger;
}

/** Builds the REST application. A request passes the middleware in the order of these lines. */
export function createApp(deps: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', 'loopback, linklocal, uniquelocal');

  app.use(requestId, observeRequests, securityHeaders, cors);
  app.get('/healthz', (_request, response) => void response.type('text').send('ok\n'));
  app.get('/readyz', async (_request, response) => {
    const missing = await notReady(deps.ready);
    response
      .status(missing.length === 0 ? 200 : 503)
      .type('text')
      .send(missing.length === 0 ? 'ready\n' : `${missing.join('\n')}\n`);
  });
  app.get(
    '/v1/openapi.json',
    (request, response) =>
      void response.json(
        deps.openApi(deps.publicUrl ?? `${request.protocol}://${request.get('host') ?? 'localhost'}/v1`),
      ),
  );
  app.get('/v1/docs', docsPage(deps.openApi));
  app.get('/', (_request, response) => response.redirect(302, '/v1/docs'));

  app.use(refuseWhenFull(memoryGuard));
  app.use(express.json({ limit: deps.maxBodyBytes, strict: false, inflate: false }));
  mount(app, deps.endpoints, deps);
  app.use((request) => {
    throw new AppError(
      'not_found',
      `no route matches ${request.method} ${request.path.slice(0, 200)}; GET /v1/docs lists every route`,
    );
  });
  app.use(errorEnvelope(deps.log, deps.maxBodyBytes));
  return app;
}
