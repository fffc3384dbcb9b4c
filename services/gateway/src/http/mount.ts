import { type AnyRoute, asObject, isJob, type Route, readPart } from '@tidemark/api';
import { scopeIncludes } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { Express, Request, Response } from 'express';
import type { z } from 'zod';
import type { Authenticated } from '../middleware/authenticate.ts';
import { requestIdOf } from '../middleware/request-id.ts';
import { ListCursors } from '../requests/list-cursors.ts';
import { baseUrlOf } from './base-url.ts';
import { authenticateRequest, type KeyCheck, requireKey } from './check-key.ts';
import type { EndpointRequest, EndpointResponse } from './endpoint.ts';
import { hashOfBody } from './hash-of-body.ts';
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

/** A route with its handler. */
export interface Endpoint {
  readonly route: AnyRoute;
  respond(request: Request, response: Response, options: MountOptions): Promise<EndpointResponse>;
}

const ANONYMOUS: Authenticated = {
  caller: { workspaceId: '', keyId: '', scope: 'read', projects: [] },
  keyName: '',
  scopes: [],
  plan: '',
  rpm: 0,
  workspaceRpm: 0,
};

/** Binds a route of the contract to its handler. The handler gets only validated input. */
export function endpoint<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  route: Route<P, Q, B>,
  handle: (request: EndpointRequest<z.output<P>, z.output<Q>, z.output<B>>) => Promise<EndpointResponse>,
): Endpoint {
  return {
    route,
    async respond(request, response, options) {
      const requestId = requestIdOf(response);
      const auth = route.scope === 'public' ? ANONYMOUS : await authorize(route, request, response, options);
      const hasBody = route.method === 'post' || route.method === 'patch';
      if (hasBody) await options.readBody(request, response);
      const body: unknown = hasBody ? bodyOf(request) : {};
      const idempotencyKey = route.idempotent ? idempotencyKeyOf(request) : '';
      const answer = await handle({
        params: readPart(route.params, request.params, 'path'),
        query: readPart(route.query, request.query, 'query'),
        body: readPart(route.body, body, 'body'),
        requestId,
        baseUrl: baseUrlOf(request, options.publicUrl),
        idempotencyKey,
        lastEventId: request.get('last-event-id') ?? '',
        bodyHash: idempotencyKey === '' ? '' : hashOfBody(body),
        acceptEncoding: request.get('accept-encoding') ?? '',
        auth,
        cursors: new ListCursors(
          { workspaceId: auth.caller.workspaceId, path: listPath(route, request) },
          route.method === 'get' ? 'query' : 'body',
        ),
        call: route.scope === 'public' ? { requestId } : { caller: auth.caller, requestId },
      });
      if (answer.events === undefined || route.scope === 'public') return answer;
      const authenticate = () => authenticateRequest(request, response, options);
      return { ...answer, access: options.streams.take(auth, authenticate) };
    },
  };
}

/** Returns the path of a request without the version prefix. */
const listPath = ({ path }: AnyRoute, { params }: Request): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]));

/** Checks key, workspace, scope and reach, in this order. @throws AppError unauthorized, not_found, scopes, forbidden */
async function authorize(
  route: AnyRoute,
  request: Request,
  response: Response,
  options: MountOptions,
): Promise<Authenticated> {
  const auth = await requireKey(request, response, options);
  const tenant = request.get('x-service-tenant');
  // Only the caller's own workspace is accepted, because sub-accounts do not exist yet.
  if (tenant !== undefined && tenant !== auth.caller.workspaceId)
    throw new AppError('not_found', 'workspace not found');
  if (route.scope !== 'public' && !scopeIncludes(auth.caller.scope, route.scope)) {
    throw new AppError(
      'scopes',
      `this route requires the scope ${route.scope}; this key has ${auth.scopes.join(', ')}`,
    );
  }
  if (route.reach === 'workspace' && auth.caller.projects.length > 0) {
    throw new AppError(
      'forbidden',
      'this key is restricted to projects; this route requires a key without that restriction, because it concerns the whole workspace',
    );
  }
  return auth;
}

function bodyOf(request: Request): unknown {
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

function idempotencyKeyOf(request: Request): string {
  const key = request.get('idempotency-key') ?? '';
  if (key.length > 255 || !/^[\x20-\x7e]*$/.test(key)) {
    throw new AppError('validation', 'Idempotency-Key: expected at most 255 printable characters', {
      detail: [{ loc: ['header', 'Idempotency-Key'], msg: 'at most 255 printable characters', type: 'too_big' }],
    });
  }
  return key;
}

async function send(request: Request, response: Response, { produces, answer }: Answer): Promise<void> {
  const { status, body, bytes, events, file, access, headers } = answer;
  response.status(status);
  const job = asObject(body);
  if (isJob(job)) response.set('x-service-credits', String(job['creditsUsed']));
  if (headers !== undefined) response.set(headers);
  if (events !== undefined) return sendEvents(response, events, access);
  if (file !== undefined) return sendFile(response, file);
  if (bytes !== undefined) {
    unreadResponses.hold(response, bytes.length);
    response.type(headers?.['content-type'] ?? produces ?? 'application/octet-stream').send(Buffer.from(bytes));
  } else if (body === undefined) response.end();
  else await sendJson(request, response, body);
}

interface Answer {
  readonly produces: AnyRoute['produces'];
  readonly answer: EndpointResponse;
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
        const answer = await respond(request, response, options);
        await send(request, response, { produces: route.produces, answer });
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
