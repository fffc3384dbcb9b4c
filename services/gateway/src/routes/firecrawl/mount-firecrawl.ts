import {
  type ContinuedJobs,
  checkQuery,
  FIRECRAWL_PATH,
  firecrawlRoutes,
  Refusal,
  type RestCall,
  refusePath,
  repeatableBody,
  respondTo,
  toErrorResponse,
  type VersionedRoute,
} from '@tidemark/firecrawl';
import type { Logger } from '@tidemark/service';
import type { ErrorRequestHandler, Express, Request, Response } from 'express';
import { baseUrlOf } from '../../http/base-url.ts';
import { requireKey } from '../../http/check-key.ts';
import { hashOfBody } from '../../http/hash-of-body.ts';
import { bodyOf, type Endpoint, type Exchange, idempotencyKeyOf, type MountOptions } from '../../http/mount.ts';
import { sendJson } from '../../http/send-json.ts';
import { toAppError } from '../../middleware/error-envelope.ts';
import { requestIdOf } from '../../middleware/request-id.ts';
import { ContinuedJobStore } from './continued-job-store.ts';

type Endpoints = ReadonlyMap<string, Endpoint>;

/**
 * Returns the calls of a request to the REST interface. They enter at its endpoints, with the key of the request, instead of over a second
 * connection: a request counts once in the rate window of its key, however many routes it calls.
 */
const restCallOf =
  (endpoints: Endpoints, exchange: Exchange): RestCall =>
  (routeId, { params = {}, query = {}, body = {}, idempotencyKey = '' } = {}) => {
    const endpoint = endpoints.get(routeId);
    if (endpoint === undefined) throw new Error(`no endpoint ${routeId}`);
    return endpoint.respondToParts({ params, query, body, idempotencyKey }, exchange);
  };

/** Answers a request of Firecrawl's interface. The caller is authenticated before the body is read. @throws AppError, Refusal */
async function respond(endpoints: Endpoints, exchange: Exchange, route: VersionedRoute): Promise<void> {
  const { request, response, options } = exchange;
  const { caller } = await requireKey(request, response, options);
  checkQuery(route, Object.keys(request.query));
  if (route.hasBody) await options.readBody(request, response);
  const body = route.hasBody ? bodyOf(request) : {};
  const workspaceId = request.get('x-service-tenant') ?? caller?.workspaceId ?? '';
  const { version, route: described } = route;
  const translated = await respondTo(route, {
    hostUrl: baseUrlOf(request, options.publicUrl).replace(/\/v1$/, ''),
    workspaceId,
    fingerprint: hashOfBody({
      version,
      path: described.path,
      tenant: workspaceId,
      caller,
      body: repeatableBody(body),
    }),
    idempotencyKey: idempotencyKeyOf(request, 'x-idempotency-key'),
    params: request.params,
    query: request.query,
    body,
    isGone: () => response.closed,
    call: restCallOf(endpoints, exchange),
  });
  response.status(translated.status);
  await sendJson(request, response, translated.body);
}

/** Answers every error in the envelope of Firecrawl. */
const sendError =
  (maxBodyBytes: number, log: Logger): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    const known = error instanceof Refusal ? error : toAppError(error, maxBodyBytes);
    if (known.code === 'internal')
      log.error({ err: error, request_id: requestIdOf(response) }, 'a request of the Firecrawl interface failed');
    const { status, retryAfterSeconds, body } = toErrorResponse(known, request.method);
    if (retryAfterSeconds !== undefined) response.set('retry-after', String(retryAfterSeconds));
    response.locals['outcome'] = known.code;
    response.locals['message'] = known.message;
    response.status(status).json(body);
  };

interface FirecrawlOptions {
  readonly options: MountOptions;
  /** By default a store in memory. */
  readonly continuedJobs?: ContinuedJobs | undefined;
  readonly endpoints: readonly Endpoint[];
  readonly maxBodyBytes: number;
  readonly log: Logger;
}

/** Mounts Firecrawl's interface in two versions. */
export function mountFirecrawl(
  app: Express,
  { endpoints: all, options, continuedJobs, maxBodyBytes, log }: FirecrawlOptions,
): void {
  const endpoints: Endpoints = new Map(all.map((endpoint) => [endpoint.route.id, endpoint]));
  for (const route of firecrawlRoutes(continuedJobs ?? new ContinuedJobStore())) {
    const { method, path } = route;
    app[method](path, async (request, response) => {
      response.locals['route'] = `${method.toUpperCase()} ${path}`;
      await respond(endpoints, { request, response, options }, route);
    });
  }
  app.use(FIRECRAWL_PATH, async (request: Request, response: Response) => {
    await requireKey(request, response, options);
    refusePath(request.method, `${FIRECRAWL_PATH}${request.path}`);
  });
  app.use(FIRECRAWL_PATH, sendError(maxBodyBytes, log));
}
