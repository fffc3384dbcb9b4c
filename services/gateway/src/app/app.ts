import { AppError } from '@tidemark/errors';
import { type ContinuedJobs, mappingTables } from '@tidemark/firecrawl';
import { failedChecks, type Logger, memoryGuard, type Peer, type ReadyCheck } from '@tidemark/service';
import { readDocument, renderLlms, renderLlmsFull } from '@tidemark/web-pages/docs';
import express, { type Express } from 'express';
import type { ConsoleFiles } from '../console/console-files.ts';
import { consolePages, mountConsole } from '../console/mount-console.ts';
import { llmsDocument, mountDocs } from '../docs/docs-page.ts';
import { mountPaymentHooks } from '../hooks/mount-payment-hooks.ts';
import { checkKey, type KeyCheck } from '../http/check-key.ts';
import { type Endpoint, type MountOptions, mount } from '../http/mount.ts';
import { serveStatic } from '../http/static-document.ts';
import type { IsTrustedProxy } from '../http/trusted-proxies.ts';
import { cors } from '../middleware/cors.ts';
import { errorEnvelope } from '../middleware/error-envelope.ts';
import { observeRequests } from '../middleware/observe.ts';
import { refuseCrossSite } from '../middleware/refuse-cross-site.ts';
import { refuseWhenFull } from '../middleware/refuse-when-full.ts';
import { requestId } from '../middleware/request-id.ts';
import { securityHeaders } from '../middleware/security-headers.ts';
import { mountOauth } from '../oauth/mount-oauth.ts';
import type { OAuthOptions } from '../oauth/oauth-options.ts';
import { mountAccountPages } from '../pages/mount-account-pages.ts';
import { logRequests } from '../request-log/log-requests.ts';
import type { RequestBuffer } from '../request-log/request-buffer.ts';
import { mountFirecrawl } from '../routes/firecrawl/mount-firecrawl.ts';
import { mountStored } from '../stored/mount-stored.ts';

export interface AppDeps extends Omit<MountOptions, 'readBody'> {
  readonly endpoints: readonly Endpoint[];
  readonly openApi: (serverUrl: string) => Record<string, unknown>;
  /** Base URL in the commands of the documentation. */
  readonly docsUrl?: string;
  /** By default no address is a proxy. */
  readonly isTrustedProxy?: IsTrustedProxy;
  readonly ready: ReadonlyMap<string, ReadyCheck>;
  readonly maxBodyBytes: number;
  /** By default a store in memory. */
  readonly continuedJobs?: ContinuedJobs;
  /** The console; undefined: none is served. */
  readonly console?: ConsoleFiles | undefined;
  /** Undefined: this installation has no MCP endpoint, and no authorization server. */
  readonly oauth?: OAuthOptions | undefined;
  /** Stores the messages of payment gateways; undefined: none are received. Required, so that no caller leaves it out by mistake. */
  readonly billing: Peer | undefined;
  /** Stores the requests of API keys; undefined: they are not logged. */
  readonly requestLog?: Pick<RequestBuffer, 'add'> | undefined;
  readonly log: Logger;
}

/** Builds the REST application. A request passes the middleware in the order of these lines. */
export function createApp(deps: AppDeps): Express {
  const { authenticator, limiter, cookie, isFromMcp, publicUrl } = deps;
  const check: KeyCheck = { authenticator, limiter, cookie, isFromMcp };
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', deps.isTrustedProxy ?? false);

  app.use(requestId, observeRequests, securityHeaders, cors);
  if (deps.requestLog !== undefined) app.use(logRequests(deps.requestLog));
  app.get('/healthz', (_request, response) => void response.type('text').send('ok\n'));
  const missingPeers = onceASecond(() => failedChecks(deps.ready));
  app.get('/readyz', async (_request, response) => {
    const missing = await missingPeers();
    response
      .status(missing.length === 0 ? 200 : 503)
      .type('text')
      .send(missing.length === 0 ? 'ready\n' : `${missing.join('\n')}\n`);
  });
  // A relative server URL is resolved against the URL of the document (OpenAPI 3.1 section 4.8.5).
  const renderOpenApi = () => JSON.stringify(deps.openApi(publicUrl ?? '/v1'));
  app.get('/v1/openapi.json', serveStatic({ contentType: 'application/json; charset=utf-8', render: renderOpenApi }));
  const docsUrl = deps.docsUrl ?? 'http://localhost:8787/v1';
  const document = () => readDocument(deps.openApi(docsUrl), mappingTables());
  mountDocs(app, document);
  app.get('/llms.txt', llmsDocument(document, renderLlms));
  app.get('/llms-full.txt', llmsDocument(document, renderLlmsFull));
  mountAccountPages(app, deps.console === undefined ? 'account' : 'console');
  if (deps.console !== undefined) mountConsole(app, deps.console);
  app.get('/', (_request, response) => response.redirect(302, '/v1/docs'));

  if (deps.billing !== undefined) mountPaymentHooks(app, deps.billing);

  app.use(refuseCrossSite(cookie, publicUrl), checkKey(check), refuseWhenFull(memoryGuard));
  if (deps.oauth !== undefined) {
    const { clients, codes, identity, failures, resource } = deps.oauth;
    mountOauth(app, { clients, codes, identity, failures, resource, check, publicUrl });
  }
  const readBody = bodyReader(deps.maxBodyBytes);
  const options: MountOptions = {
    authenticator,
    limiter,
    cookie,
    isFromMcp,
    streams: deps.streams,
    publicUrl,
    readBody,
  };
  mount(app, deps.endpoints, options);
  mountFirecrawl(app, {
    endpoints: deps.endpoints,
    options,
    continuedJobs: deps.continuedJobs,
    maxBodyBytes: deps.maxBodyBytes,
    log: deps.log,
  });
  if (deps.console !== undefined) {
    mountStored(app, deps.endpoints, options);
    app.use(consolePages(deps.console));
  }
  app.use((request) => {
    throw new AppError(
      'not_found',
      `no route matches ${request.method} ${request.path.slice(0, 200)}; ${hintFor(request.path, docsUrl)}`,
    );
  });
  app.use(errorEnvelope(deps.log, deps.maxBodyBytes));
  return app;
}

/** Returns what to do about a path without a route: most have a base URL without the version. */
const hintFor = (path: string, baseUrl: string): string =>
  /^\/(?:v1|firecrawl|auth)(?:\/|$)/.test(path)
    ? 'GET /v1/docs lists every route'
    : `every route begins with /v1, which the base URL of a client includes: ${baseUrl}`;

/** Shares each result for a second: the route is public, and one request to it calls every service. */
function onceASecond<T>(load: () => Promise<T>): () => Promise<T> {
  let last: { readonly result: Promise<T>; readonly untilMs: number } | undefined;
  return () => {
    if (last === undefined || last.untilMs <= performance.now())
      last = { result: load(), untilMs: performance.now() + 1_000 };
    return last.result;
  };
}

/** Returns a function that parses the JSON body of one request; it rejects with the error of the parser. */
function bodyReader(limit: number): MountOptions['readBody'] {
  const parse = express.json({ limit, strict: false, inflate: false });
  return (request, response) =>
    new Promise((resolve, reject) => {
      parse(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
    });
}
