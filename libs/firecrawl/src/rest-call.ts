import type { routes } from '@tidemark/api';

/** Id of a route of the REST contract. */
export type RouteId = keyof typeof routes;

/** The parts of a request of the REST interface, before they are validated. */
export interface RestParts {
  /** Parameters of the path by name. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** Empty: none. */
  readonly idempotencyKey: string;
}

/** The response of a route of the REST interface: its status and its JSON. */
export interface RestResponse {
  readonly status: number;
  readonly body?: unknown;
}

/**
 * Calls a route of the REST interface with the access of the caller: authentication, scope, validation and response are those of the route.
 * @throws AppError with the code, the status and the fields of the error response
 */
export type RestCall = (route: RouteId, parts?: Partial<RestParts>) => Promise<RestResponse>;
