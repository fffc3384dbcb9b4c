import {
  type AnyRoute,
  asObject,
  isJob,
  type MediaType,
  type ResponseSchemas,
  type Route,
  readPart,
} from '@tidemark/api';
import { AppError } from '@tidemark/errors';
import type { Express, Request, Response } from 'express';
import type { z } from 'zod';
import { type Authenticated, callOf } from '../middleware/authenticated.ts';
import { requestIdOf } from '../middleware/request-id.ts';
import { ListCursors } from '../requests/list-cursors.ts';
import { authorize, authorizeAgain, checkFreshCode } from './authorize.ts';
import { baseUrlOf } from './base-url.ts';
import type { KeyCheck } from './check-key.ts';
import type { EndpointRequest, EndpointResponse, SentResponse } from './endpoint.ts';
import { matchesEtag } from './matches-etag.ts';
import { RequestDetails } from './request-details.ts';
import { sendEvents } from './send-events.ts';
import { sendFile } from './send-file.ts';
import { sendJson } from './send-json.ts';
import type { StreamSlots } from './stream-access.ts';
import { unreadResponses } from './unread-responses.ts';

export interface MountOptions extends KeyCheck {
  readonly streams: StreamSlots;
  readonly publicUrl: string | undefined;
  /** Reads the body of a request as JSON. Called after the caller is authenticated. */
  readonly readBody: (request: Request, response: Response) => Promise<void>;
}

const LINES_TYPE = 'application/x-ndjson';
/** Both forms of a list, in the order in which they are chosen for a client that accepts any. */
const JSON_TYPES = ['application/json', LINES_TYPE];

/** The parts of a request before they are validated. */
export interface SentParts {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly idempotencyKey: string;
  /** Accept prefers lines of JSON to JSON. Absent: JSON. */
  readonly prefersLines?: boolean;
}

/** An HTTP request in progress. */
export interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly options: MountOptions;
}

/** A route with its handler. */
export interface Endpoint {
  readonly route: AnyRoute;
  respond(request: Request, response: Response, options: MountOptions): Promise<SentResponse>;
  /** Handles parts that another interface has translated, with the same checks of access and content. */
  respondToParts(parts: SentParts, exchange: Exchange): Promise<SentResponse>;
}

const ANONYMOUS: Authenticated = {
  caller: undefined,
  keyName: '',
  scopes: [],
  plan: '',
  features: [],
  rpm: 0,
  workspaceRpm: 0,
  suspension: undefined,
  isGrant: false,
  person: undefined,
};

/** Binds a route of the contract to its handler. The handler gets only validated input. */
export function endpoint<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends ResponseSchemas,
  M extends MediaType,
>(
  route: Route<P, Q, B, R, M>,
  handle: (
    request: EndpointRequest<z.output<P>, z.output<Q>, z.output<B>>,
    details: RequestDetails,
  ) => Promise<EndpointResponse<Route<P, Q, B, R, M>>>,
): Endpoint {
  const handleParts = async (auth: Authenticated, sentParts: SentParts, exchange: Exchange): Promise<SentResponse> => {
    const { request, response, options } = exchange;
    const requestId = requestIdOf(response);
    const parts = {
      params: readPart(route.params, sentParts.params, 'path'),
      query: readPart(route.query, sentParts.query, 'query'),
      body: readPart(route.body, sentParts.body, 'body'),
    };
    checkFreshCode(route, auth, parts.body);
    const details = new RequestDetails({
      request,
      response,
      check: options,
      publicUrl: options.publicUrl,
      sentBody: sentParts.body,
      idempotencyKey: sentParts.idempotencyKey,
      prefersLines: sentParts.prefersLines === true,
    });
    const validated = {
      params: parts.params,
      query: parts.query,
      body: parts.body,
      requestId,
      baseUrl: baseUrlOf(request, options.publicUrl),
      auth,
      cursors: new ListCursors(
        { workspaceId: auth.caller?.workspaceId ?? '', path: listPath(route, sentParts.params) },
        route.method === 'get' ? 'query' : 'body',
      ),
      call: callOf(auth, requestId),
    };
    const sentResponse: SentResponse = await handle(validated, details);
    if (sentResponse.session !== undefined) setCookie(response, sentResponse.session, options.cookie);
    if (sentResponse.events === undefined || route.scope === 'public') return sentResponse;
    const authenticate = () => authorizeAgain(route, request, response, options);
    return { ...sentResponse, access: options.streams.take(auth, authenticate) };
  };
  const enter = async ({ request, response, options }: Exchange): Promise<Authenticated> =>
    route.scope === 'public' ? ANONYMOUS : authorize(route, request, response, options);
  return {
    route,
    async respond(request, response, options) {
      const exchange = { request, response, options };
      const auth = await enter(exchange);
      const hasBody = route.method === 'post' || route.method === 'patch';
      if (hasBody) await options.readBody(request, response);
      const body: unknown = hasBody ? bodyOf(request) : {};
      const idempotencyKey = route.idempotent ? idempotencyKeyOf(request) : '';
      const prefersLines = request.accepts(JSON_TYPES) === LINES_TYPE;
      const { params, query } = request;
      return handleParts(auth, { params, query, body, idempotencyKey, prefersLines }, exchange);
    },
    async respondToParts(parts, exchange) {
      return handleParts(await enter(exchange), parts, exchange);
    },
  };
}

/** Returns the path of a request without the version prefix. */
const listPath = ({ path }: AnyRoute, params: unknown): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => String(asObject(params)[name]));

/** Sets the cookie of a new session token, or removes it. */
function setCookie(response: Response, token: string, cookie: KeyCheck['cookie']): void {
  response.set('set-cookie', token === '' ? cookie.clear() : cookie.set(token));
}

export function bodyOf(request: Request): unknown {
  if (request.body !== undefined) return request.body;
  const type = request.get('content-type');
  if (type !== undefined && Number(request.get('content-length') ?? 0) > 0) {
    throw new AppError(
      'validation',
      `send the body as JSON with the header Content-Type: application/json; got ${type.slice(0, 80)}`,
      { httpStatus: 400 },
    );
  }
  return {};
}

export function idempotencyKeyOf(request: Request, header = 'idempotency-key'): string {
  const key = request.get(header) ?? '';
  if (key.length > 255 || !/^[\x20-\x7e]*$/.test(key)) {
    throw new AppError('validation', 'Idempotency-Key: expected at most 255 printable characters', {
      detail: [{ loc: ['header', 'Idempotency-Key'], msg: 'at most 255 printable characters', type: 'too_big' }],
    });
  }
  return key;
}

async function send(request: Request, response: Response, { produces, sent }: RouteResponse): Promise<void> {
  const { status, body, bytes, events, file, access, headers } = sent;
  response.status(status);
  const job = asObject(body);
  if (isJob(job)) response.set('x-service-credits', String(job['creditsUsed']));
  if (headers !== undefined) response.set(headers);
  if (events !== undefined) return sendEvents(response, events, access);
  if (file !== undefined) return sendFile(response, file);
  if (bytes !== undefined) {
    // A conditional request for an unchanged document (RFC 9110 section 13.2.2).
    const etag = headers?.['etag'];
    if (etag !== undefined && matchesEtag(request.get('if-none-match'), etag)) return void response.status(304).end();
    unreadResponses.hold(response, bytes.length);
    response.type(headers?.['content-type'] ?? produces ?? 'application/octet-stream').send(Buffer.from(bytes));
  } else if (body === undefined) response.end();
  else await sendJson(request, response, body);
}

interface RouteResponse {
  readonly produces: AnyRoute['produces'];
  readonly sent: SentResponse;
}

/** Literal paths are mounted before paths with parameters: `/playground/extract` before `/playground/{id}`. */
const parametersIn = (path: string): number => path.split('{').length;

/** Mounts every endpoint under /v1. Other methods on these paths get 405. */
export function mount(app: Express, endpoints: readonly Endpoint[], options: MountOptions): void {
  const byPath = Map.groupBy(endpoints, ({ route }) => route.path);
  for (const [path, group] of [...byPath].sort(([a], [b]) => parametersIn(a) - parametersIn(b))) {
    const pattern = `/v1${path.replace(/\{(\w+)\}/g, ':$1')}`;
    for (const { route, respond } of group) {
      app[route.method](pattern, async (request, response) => {
        response.locals['route'] = `${route.method.toUpperCase()} /v1${path}`;
        const sent = await respond(request, response, options);
        await send(request, response, { produces: route.produces, sent });
      });
    }
    const allowed = group.map(({ route }) => route.method.toUpperCase()).join(', ');
    app.all(pattern, (request, response) => {
      response.set('allow', allowed);
      throw new AppError(
        'method_not_allowed',
        `${request.method} is not supported by this path; supported: ${allowed}`,
      );
    });
  }
}
