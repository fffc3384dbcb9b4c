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

/** One route of the REST interface: the single source of its validation, types and documentation. */
export interface Route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  readonly id: string;
  readonly method: Method;
  /** Relative to /v1, with parameters in braces: `/scrape/{id}`. */
  readonly path: string;
  readonly tag: string;
  readonly scope: RouteScope;
  /** `workspace`: the route concerns the keys or settings of the workspace and refuses keys that are restricted to projects. */
  readonly reach?: 'workspace';
  readonly session?: SessionRules;
  readonly summary: string;
  readonly description?: string;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Accepts an Idempotency-Key. */
  readonly idempotent: boolean;
  /** Schemas of successful responses by status; undefined for a response without a body. */
  readonly responses: Readonly<Record<number, z.ZodType | undefined>>;
  /** Content type of the responses; JSON by default. */
  readonly produces?: 'text/event-stream' | 'image/jpeg' | 'application/atom+xml';
  /** Example request body for the documentation. */
  readonly example?: unknown;
}

export type AnyRoute = Route<z.ZodType, z.ZodType, z.ZodType>;

export const nothing = z.strictObject({});
export type Nothing = typeof nothing;

interface RouteInput<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  id: string;
  method: Method;
  path: string;
  tag: string;
  scope: RouteScope;
  reach?: 'workspace';
  session?: SessionRules;
  summary: string;
  description?: string;
  params: P;
  query: Q;
  body: B;
  idempotent?: boolean;
  responses: Readonly<Record<number, z.ZodType | undefined>>;
  produces?: 'text/event-stream' | 'image/jpeg' | 'application/atom+xml';
  example?: unknown;
}

export function route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  input: RouteInput<P, Q, B>,
): Route<P, Q, B> {
  return { idempotent: false, ...input };
}
