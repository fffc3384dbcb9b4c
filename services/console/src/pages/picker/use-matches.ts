import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { client } from '../../api/client.ts';

/** Time after the last key press, ms. */
const SETTLE_MS = 300;

/** Counts the matches of selectors on the stored pages of the last run. Nothing is fetched. */
export function useMatches(id: string, selectors: readonly string[]) {
  const text = selectors.join('\n');
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const chosen = settled.split('\n').filter((one) => one.trim() !== '');
  return useQuery({
    queryKey: ['POST /projects/{id}/selectors/match', id, settled],
    enabled: chosen.length > 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      client.send('POST /projects/{id}/selectors/match', { path: { id }, body: { selectors: chosen }, signal }),
  });
}
