import { useInfiniteQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { readList } from '../../api/lists.ts';
import { useMore } from '../../api/use-more.ts';

export const FROM = '/projects/$project/changes';
const PAGE_ENTRIES = 200;
/** A record is built within seconds after its run. */
const BUILDING_MS = 2_000;
const IDLE_MS = 15_000;

/** What the open URL reads: the record and its entries, without a kind those that are changes. */
export function useChangesRead() {
  const { project: id } = useParams({ from: FROM });
  const { run, kind, unreviewed } = useSearch({ from: FROM });
  const query = {
    limit: PAGE_ENTRIES,
    ...(run === undefined ? {} : { run_id: run }),
    kind: kind ?? ('changed' as const),
    ...(unreviewed === undefined ? {} : { unreviewed }),
  };
  return { path: { id }, query };
}

/** Returns the record of the open URL with the entries loaded so far. */
export function useChanges() {
  const record = useInfiniteQuery({
    ...readList('GET /projects/{id}/changes', useChangesRead()),
    refetchInterval: ({ state }) => (state.data?.pages[0]?.status === 'made' ? IDLE_MS : BUILDING_MS),
  });
  return { record, more: useMore(record) };
}

/** Returns the pages of the record that have no verdict, once their list is open. */
export function useDoubts(isOpen: boolean) {
  const { path, query } = useChangesRead();
  const doubts = useInfiniteQuery({
    ...readList('GET /projects/{id}/changes', { path, query: { ...query, kind: 'doubtful' } }),
    enabled: isOpen,
  });
  return { doubts, more: useMore(doubts) };
}
