import { AppError } from '@tidemark/errors';
import type { Logger } from '@tidemark/service';
import type { ErrorRequestHandler, Express, Request, Response } from 'express';
import { baseUrlOf } from '../../http/base-url.ts';
import { requireKey } from '../../http/check-key.ts';
import { hashOfBody } from '../../http/hash-of-body.ts';
import { bodyOf, type Endpoint, type Exchange, idempotencyKeyOf, type MountOptions } from '../../http/mount.ts';
import { sendJson } from '../../http/send-json.ts';
import { toAppError } from '../../middleware/error-envelope.ts';
import { requestIdOf } from '../../middleware/request-id.ts';
import { ContinuedJobs } from './continued-jobs.ts';
import { inFirecrawlNames } from './field-names.ts';
import { callerOf, type FirecrawlAnswer, type FirecrawlCall, type FirecrawlRoute } from './firecrawl-call.ts';
import { jobRoutes } from './job-routes.ts';
import { monitorRoutes } from './monitor-routes.ts';
import { refusePath } from './not-available.ts';
import { pageRoutes } from './page-routes.ts';
import { Refusal, refuseOption, toErrorAnswer } from './refusal.ts';
import type { Version } from './scrape-options.ts';
import { teamRoutes } from './team-routes.ts';
import { isObject } from './translate.ts';

export const FIRECRAWL_PATH = '/firecrawl';
const VERSIONS = ['v2', 'v1'] as const satisfies Version[];
const BUSY_RETRY_SECONDS = 2;

type Endpoints = ReadonlyMap<string, Endpoint>;

/** A client may wait longer when it sends a request again. */
const withoutWait = (body: unknown): unknown => (isObject(body) ? { ...body, timeout: undefined } : body);

/** Reads a request of Firecrawl's interface. The caller is authenticated before the body is read. @throws AppError */
async function readCall(
  endpoints: Endpoints,
  exchange: Exchange,
  { version, route }: { readonly version: Version; readonly route: FirecrawlRoute },
): Promise<FirecrawlCall> {
  const { request, response, options } = exchange;
  const { caller } = await requireKey(request, response, options);
  for (const name of Object.keys(request.query))
    if (!(route.query ?? []).includes(name)) refuseOption(`the query parameter ${name.slice(0, 60)}`);
  const hasBody = route.method === 'post' || route.method === 'patch';
  if (hasBody) await options.readBody(request, response);
  const body = hasBody ? bodyOf(request) : {};
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
  const tenant = request.get('x-service-tenant') ?? caller.workspaceId;
  return {
    version,
    baseUrl: `${baseUrlOf(request, options.publicUrl).replace(/\/v1$/, '')}${FIRECRAWL_PATH}/${version}`,
    workspaceId: tenant,
    fingerprint: hashOfBody({ version, path: route.path, tenant, caller, body: withoutWait(body) }),
    idempotencyKey: idempotencyKeyOf(request, 'x-idempotency-key'),
    id: textOf(request.params['id']),
    cursor: textOf(request.query['cursor']),
    check: textOf(request.params['check']),
    query: Object.fromEntries(Object.entries(request.query).map(([name, value]) => [name, textOf(value)])),
    body,
    isGone: () => response.closed,
    call: callerOf(endpoints, exchange),
  };
}

/** Answers a request. Errors name the fields that the client sent. @throws AppError, Refusal */
async function answerOf(route: FirecrawlRoute, call: FirecrawlCall): Promise<FirecrawlAnswer> {
  try {
    return await route.answer(call);
  } catch (error) {
    throw route.names === undefined ? error : inFirecrawlNames(error, route.names(call.version));
  }
}

/** Answers every error in the envelope of Firecrawl. */
const sendError =
  (maxBodyBytes: number, log: Logger): ErrorRequestHandler =>
  (error: unknown, request, response, next) => {
    if (response.headersSent) return next(error);
    const known = error instanceof Refusal ? error : toAppError(error, maxBodyBytes);
    const answer = toErrorAnswer(known);
    if (known.code === 'internal')
      log.error({ err: error, request_id: requestIdOf(response) }, 'a request of the Firecrawl interface failed');
    // A 429 ends the wait of the clients for a job; they try again after a 503.
    const status = answer.status === 429 && request.method === 'GET' ? 503 : answer.status;
    if (status === 429 || status === 503) {
      const seconds = known instanceof AppError ? known.retryAfterSeconds : undefined;
      response.set('retry-after', String(Math.max(1, Math.ceil(seconds ?? BUSY_RETRY_SECONDS))));
    }
    response.locals['outcome'] = known.code;
    response.status(status).json(answer.body);
  };

interface FirecrawlOptions extends MountOptions {
  /** By default a store in memory. */
  readonly continuedJobs?: ContinuedJobs;
  readonly endpoints: readonly Endpoint[];
  readonly maxBodyBytes: number;
  readonly log: Logger;
}

/** Mounts Firecrawl's interface in two versions. Each of its routes translates a request and calls routes of this service. */
export function mountFirecrawl(app: Express, options: FirecrawlOptions): void {
  const endpoints: Endpoints = new Map(options.endpoints.map((endpoint) => [endpoint.route.id, endpoint]));
  const routes = [
    ...pageRoutes(options.continuedJobs ?? new ContinuedJobs()),
    ...jobRoutes(),
    ...monitorRoutes(),
    ...teamRoutes(),
  ];
  for (const version of VERSIONS)
    for (const route of routes) {
      if ((route.version ?? version) !== version) continue;
      const path = `${FIRECRAWL_PATH}/${version}${route.path}`;
      app[route.method](path, async (request, response) => {
        response.locals['route'] = `${route.method.toUpperCase()} ${path}`;
        const call = await readCall(endpoints, { request, response, options }, { version, route });
        const { status, body } = await answerOf(route, call);
        response.status(status);
        await sendJson(request, response, body);
      });
    }
  app.use(FIRECRAWL_PATH, async (request: Request, response: Response) => {
    await requireKey(request, response, options);
    refusePath(request.method, `${FIRECRAWL_PATH}${request.path}`);
  });
  app.use(FIRECRAWL_PATH, sendError(options.maxBodyBytes, options.log));
}
