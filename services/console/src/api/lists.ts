import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import type { Init, ListRoute, Result } from '@tidemark/sdk';
import { client } from './client.ts';
import { keyOf } from './queries.ts';

interface Listed {
  readonly cursor: string | number | null;
}

/** Returns the options of a list that is read page by page. */
export const readList = <R extends ListRoute>(route: R, init: Init<R>) =>
  infiniteQueryOptions({
    queryKey: ['list', ...keyOf(route, init)],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }): Promise<Result<R>> => client.page(route, { ...init, signal }, pageParam),
    getNextPageParam: (last: Listed) => (last.cursor === null ? undefined : String(last.cursor)),
  });

export const useList = <R extends ListRoute>(
  route: R,
  init: Init<R>,
  more: { readonly enabled?: boolean; readonly refetchInterval?: number | false } = {},
) => useInfiniteQuery({ ...readList(route, init), ...more });
