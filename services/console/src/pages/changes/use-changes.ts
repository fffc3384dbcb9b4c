import { useInfiniteQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { readList } from '../../api/queries.ts';

export const FROM = '/projects/$project/changes';
const PAGE_ENTRIES = 200;
/** A record is built within seconds after its run. */
const BUILDING_MS = 2_000;
const IDLE_MS = 15_000;

/** What the open address reads: the record and its entries. */
export function useChangesRead() {
  const { project: id } = useParams({ from: FROM });
  const { run, kind, unreviewed } = useSearch({ from: FROM });
  const query = {
    limit: PAGE_ENTRIES,
    ...(run === undefined ? {} : { run_id: run }),
    ...(kind === undefined ? {} : { kind }),
    ...(unreviewed === undefined ? {} : { unreviewed }),
  };
  return { path: { id }, query };
}

/** Returns the record of the open address with the entries loaded so far. */
export function useChanges() {
  const record = useInfiniteQuery({
    ...readList('GET /projects/{id}/changes', useChangesRead()),
    refetchInterval: ({ state }) => (state.data?.pages[0]?.status === 'made' ? IDLE_MS : BUILDING_MS),
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = record;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return { record, more };
}
