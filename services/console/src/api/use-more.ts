import { useCallback } from 'react';

interface Endless {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => Promise<unknown>;
}

/** Returns the function that loads the next page of a list, for the end of a table. */
export function useMore({ hasNextPage, isFetchingNextPage, fetchNextPage }: Endless): () => void {
  return useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
}
