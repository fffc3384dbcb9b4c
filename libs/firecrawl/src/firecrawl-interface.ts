import type { ContinuedJobs } from './continued-jobs.ts';
import { inFirecrawlNames } from './field-names.ts';
import type { FirecrawlCall, FirecrawlResponse, FirecrawlRoute } from './firecrawl-call.ts';
import { jobRoutes } from './job-routes.ts';
import { monitorRoutes } from './monitor-routes.ts';
import { pageRoutes } from './page-routes.ts';
import { refuseOption } from './refusal.ts';
import type { RestCall } from './rest-call.ts';
import type { Version } from './scrape-options.ts';
import { teamRoutes } from './team-routes.ts';
import { isObject } from './translate.ts';

/** Path under which the interface is mounted. */
export const FIRECRAWL_PATH = '/firecrawl';
const VERSIONS = ['v2', 'v1'] as const satisfies Version[];

/** A route of one version. */
export interface VersionedRoute {
  readonly version: Version;
  readonly method: FirecrawlRoute['method'];
  /** From the host, with the parameters `:id` and `:check`. */
  readonly path: string;
  /** Whether its requests have a body. */
  readonly hasBody: boolean;
  readonly route: FirecrawlRoute;
}

/** A request of an authenticated caller, as HTTP carries it. */
export interface FirecrawlRequest {
  /** URL of the host, without a slash at the end. */
  readonly hostUrl: string;
  readonly workspaceId: string;
  /** Identifies the caller, the path and the body, of which `repeatableBody` leaves out the wait. */
  readonly fingerprint: string;
  /** Empty: none. */
  readonly idempotencyKey: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  /** Returns whether the client has gone. */
  readonly isGone: () => boolean;
  readonly call: RestCall;
}

/** Lists the routes of both versions in the order in which they are matched: literal paths come before paths with a parameter. */
export function firecrawlRoutes(continued: ContinuedJobs): VersionedRoute[] {
  const routes = [...pageRoutes(continued), ...jobRoutes(), ...monitorRoutes(), ...teamRoutes()];
  return VERSIONS.flatMap((version) =>
    routes
      .filter((route) => (route.version ?? version) === version)
      .map((route) => ({
        version,
        method: route.method,
        path: `${FIRECRAWL_PATH}/${version}${route.path}`,
        hasBody: route.method === 'post' || route.method === 'patch',
        route,
      })),
  );
}

/** Returns the body without its `timeout`: a client may wait longer when it sends a request again. */
export const repeatableBody = (body: unknown): unknown => (isObject(body) ? { ...body, timeout: undefined } : body);

/** Refuses a query parameter that a route does not have. @throws Refusal */
export function checkQuery({ route }: VersionedRoute, names: readonly string[]): void {
  for (const name of names)
    if (!(route.query ?? []).includes(name)) refuseOption(`the query parameter ${name.slice(0, 60)}`);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function toCall(version: Version, request: FirecrawlRequest): FirecrawlCall {
  const { hostUrl, workspaceId, fingerprint, idempotencyKey, params, query, body, isGone, call } = request;
  return {
    version,
    baseUrl: `${hostUrl}${FIRECRAWL_PATH}/${version}`,
    workspaceId,
    fingerprint,
    idempotencyKey,
    id: textOf(params['id']),
    cursor: textOf(query['cursor']),
    check: textOf(params['check']),
    query: Object.fromEntries(Object.entries(query).map(([name, value]) => [name, textOf(value)])),
    body,
    isGone,
    call,
  };
}

/** Answers a request. Errors name the fields that the client sent. @throws AppError, Refusal */
export async function respondTo(
  { version, route }: VersionedRoute,
  request: FirecrawlRequest,
): Promise<FirecrawlResponse> {
  try {
    return await route.respond(toCall(version, request));
  } catch (error) {
    throw route.names === undefined ? error : inFirecrawlNames(error, route.names(version));
  }
}
