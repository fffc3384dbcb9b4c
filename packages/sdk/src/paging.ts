import type { Core, Parts } from './core.ts';
import { TidemarkError } from './errors.ts';
import type { CallOptions, Query, Result, Route } from './routes.ts';

/** Operations that return lists: those whose query has a cursor. */
export type ListRoute = {
  [R in Route]: string extends keyof Query<R> ? never : 'cursor' extends keyof Query<R> ? R : never;
}[Route];

/** An item of a list. */
export type Item<R extends Route> =
  Result<R> extends { data: (infer T)[] } ? T : Result<R> extends { entries: (infer T)[] } ? T : never;

interface Page<T> {
  readonly data?: readonly T[];
  readonly entries?: readonly T[];
  readonly next: string | null;
  readonly cursor: string | null;
}

function isPage<T>(value: unknown): value is Page<T> {
  return typeof value === 'object' && value !== null && 'cursor' in value;
}

/** Throws if a response has items and the cursor that was sent: the list would never end. */
export function checkAdvance(sent: string, received: string | null, count: number): void {
  if (count === 0 || received !== sent) return;
  const message = `the list does not advance: the cursor ${sent} was returned again with ${count} items`;
  throw new TidemarkError({ code: 'stalled_cursor', message });
}

/**
 * Yields the items of a list and requests its pages as they are consumed. Pages are requested from the base URL by their cursor: the links
 * in responses are not followed, so that no other host receives the key.
 */
export async function* items<R extends ListRoute>(
  core: Core,
  route: R,
  init: Parts & CallOptions,
): AsyncGenerator<Item<R>, void, undefined> {
  const { query, ...rest } = init;
  let cursor = '';
  for (;;) {
    const page = await core.request(route, { ...rest, query: { ...query, ...(cursor === '' ? {} : { cursor }) } });
    if (!isPage<Item<R>>(page)) throw new TidemarkError({ code: 'unexpected', message: `${route} returned no list` });
    const found = page.data ?? page.entries ?? [];
    yield* found;
    if (page.cursor === null) return;
    checkAdvance(cursor, page.cursor, found.length);
    cursor = page.cursor;
  }
}
