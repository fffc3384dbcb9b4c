import { QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import type { Init, Result, Route } from '@tidemark/sdk';
import { TidemarkError } from '@tidemark/sdk';
import { client } from './client.ts';

const STALE_MS = 5_000;
const RETRIES = 1;
/** A refusal is final; only a failure of the connection or of the server is tried again. */
const isPassing = (error: Error): boolean =>
  error instanceof TidemarkError && (error.status === 0 || error.status >= 500);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_MS,
      retry: (failures, error) => failures < RETRIES && isPassing(error),
      refetchOnWindowFocus: true,
      throwOnError: false,
    },
  },
});

/** Returns the key of a read: its route, then what identifies it. All reads of a route are refreshed by its route alone. */
export const keyOf = (route: Route, init: { readonly path?: unknown; readonly query?: unknown } = {}) =>
  [route, init.path ?? {}, init.query ?? {}] as const;

/** Returns the options of a read of one route of the API. */
export const read = <R extends Route>(route: R, init: Init<R>) =>
  queryOptions({
    queryKey: keyOf(route, init),
    queryFn: ({ signal }): Promise<Result<R>> => client.send(route, { ...init, signal }),
  });

export const useRead = <R extends Route>(
  route: R,
  init: Init<R>,
  more: { readonly enabled?: boolean; readonly refetchInterval?: number | false } = {},
) => useQuery({ ...read(route, init), ...more });

/** Refreshes every read of some routes, lists included. */
export async function refresh(...routes: readonly Route[]): Promise<void> {
  await queryClient.invalidateQueries({
    predicate: ({ queryKey: [first, second] }) => routes.some((route) => route === (first === 'list' ? second : first)),
  });
}
