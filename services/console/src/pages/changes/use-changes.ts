import { useParams, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useList } from '../../api/queries.ts';

export const FROM = '/projects/$project/changes';
const PAGE_ENTRIES = 200;

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
  const record = useList('GET /projects/{id}/changes', useChangesRead());
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = record;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return { record, more };
}
