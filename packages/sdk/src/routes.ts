import type { Operations } from './generated/contract.ts';

export type Route = keyof Operations;
export type Result<R extends Route> = Operations[R]['result'];
export type Body<R extends Route> = Operations[R]['body'];
export type Query<R extends Route> = Operations[R]['query'];

/** A part of a request: required if one of its fields is, absent if the route has none. */
type Part<Name extends string, T> = [T] extends [never]
  ? { readonly [K in Name]?: never }
  : Record<never, never> extends T
    ? { readonly [K in Name]?: T }
    : { readonly [K in Name]: T };

export interface CallOptions {
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** Time for each try, ms; 150 s by default. Of files and event streams, the time until the response begins. */
  readonly timeoutMs?: number | undefined;
  /** Further tries after 429, 502, 503, 504 and network errors, if the call is safe to repeat; 2 by default. */
  readonly maxRetries?: number | undefined;
  /** By default one is made for each call of a route that accepts one. */
  readonly idempotencyKey?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** What a call of a route sends. */
export type Init<R extends Route> = Part<'path', Operations[R]['path']> &
  Part<'query', Query<R>> &
  Part<'body', Body<R>> &
  CallOptions;

/** The second argument of a call; optional if the route requires nothing. */
export type InitArgument<R extends Route> = Record<never, never> extends Init<R> ? [init?: Init<R>] : [init: Init<R>];
