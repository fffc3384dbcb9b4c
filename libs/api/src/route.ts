import type { Feature } from '@tidemark/catalogue';
import type { ErrorCode } from '@tidemark/errors';
import { z } from 'zod';

export type Method = 'get' | 'post' | 'patch' | 'delete';
/** The scope a key must have; `public` routes need no key. */
export type RouteScope = 'public' | 'read' | 'write' | 'admin';

/** What a session may lack on a route. half: the code of the second factor; no_factor: a factor that the workspace requires. */
export type SessionGap = 'half' | 'unverified' | 'no_factor';

/** Rules for signed-in people; keys are not affected by them, except by `only`. */
export interface SessionRules {
  /** The route concerns a person: keys get 403, and no workspace is needed. */
  readonly only?: true;
  /** What the session may lack. By default nothing, except that an unverified address may read. */
  readonly allows?: readonly SessionGap[];
  /** Requires a code of the last ten minutes from people with a second factor; with a function, for some bodies. */
  readonly freshCode?: true | ((body: unknown) => boolean);
}
export type Refusals = Readonly<Partial<Record<ErrorCode, string>>>;

/** Content types of responses that are not JSON. `application/octet-stream`: a file, whose type depends on the requested format. */
export type MediaType =
  | 'text/event-stream'
  | 'text/html'
  | 'image/jpeg'
  | 'image/png'
  | 'application/atom+xml'
  | 'application/x-ndjson'
  | 'application/octet-stream';

/** Schemas of successful responses by status; undefined for a response without a JSON body. */
export type ResponseSchemas = Readonly<Record<number, z.ZodType | undefined>>;

/** One route of the REST interface: the single source of its validation, types and documentation. */
export interface Route<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends ResponseSchemas,
  M extends MediaType,
> {
  readonly id: string;
  readonly method: Method;
  /** Relative to /v1, with parameters in braces: `/scrape/{id}`. */
  readonly path: string;
  readonly tag: string;
  readonly scope: RouteScope;
  /** `workspace`: the route concerns the keys or settings of the workspace and refuses keys that are restricted to projects. */
  readonly reach?: 'workspace';
  /** The plan of the workspace must include it. */
  readonly feature?: Feature;
  readonly session?: SessionRules;
  readonly summary: string;
  readonly description?: string;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** An empty body is refused, although the schema permits it. */
  readonly needsBody?: true;
  /** Accepts an Idempotency-Key. */
  readonly idempotent: boolean;
  /** Starts work that costs credits. */
  readonly spends: boolean;
  /** Its configuration may name a saved login, which must exist. */
  readonly usesLogin?: true;
  /** Why the service refuses a valid request, by error code; the refusals that follow from other facts of the route are derived. */
  readonly refusals?: Refusals;
  readonly responses: R;
  /** Content type of the responses; JSON by default. */
  readonly produces?: M;
  /** Content types of other successful responses than JSON, which a parameter selects; `application/x-ndjson`: which Accept selects. */
  readonly alsoProduces?: readonly M[];
  /** Example request body for the documentation. */
  readonly example?: unknown;
  /** Fields of the example response that follow from what the route does. */
  readonly exampleState?: Readonly<Record<string, unknown>>;
}

export type AnyRoute = Route<z.ZodType, z.ZodType, z.ZodType, ResponseSchemas, MediaType>;

export const nothing = z.strictObject({});
export type Nothing = typeof nothing;

/** A route as it is declared: the two properties that most routes lack have a default. */
interface RouteInput<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends ResponseSchemas,
  M extends MediaType,
> extends Omit<Route<P, Q, B, R, M>, 'idempotent' | 'spends'> {
  readonly idempotent?: boolean;
  readonly spends?: boolean;
}

export function route<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends ResponseSchemas,
  M extends MediaType = never,
>(input: RouteInput<P, Q, B, R, M>): Route<P, Q, B, R, M> {
  return { idempotent: false, spends: false, ...input };
}

/** Returns whether a request of the route may have a body. */
export const acceptsBody = ({ method }: Pick<AnyRoute, 'method'>): boolean => method === 'post' || method === 'patch';

/** Returns whether an unchanged document of the route is answered with 304: the feeds, which readers poll. */
export const isConditional = ({ produces }: Pick<AnyRoute, 'produces'>): boolean => produces === 'application/atom+xml';
