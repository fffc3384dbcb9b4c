import { useQuery } from '@tanstack/react-query';
import { readDocsIndex } from '../api/docs-index.ts';
import { words } from '../words/words.ts';
import type { Entry } from './palette-matches.ts';

/** The index is part of the running release. */
const STALE_MS = Number.POSITIVE_INFINITY;

interface FoundDocs {
  /** Every route of the documentation; empty without an entered text. */
  readonly entries: readonly Entry[];
  /** Opens the search of the documentation; undefined without an entered text. */
  readonly search: Entry | undefined;
}

/** Returns the routes of the documentation, and its search for the entered text. */
export function useFoundDocs(text: string): FoundDocs {
  const q = text.trim();
  const index = useQuery({
    queryKey: ['palette', 'docs'],
    enabled: q !== '',
    staleTime: STALE_MS,
    queryFn: ({ signal }) => readDocsIndex(signal),
  });
  if (q === '') return { entries: [], search: undefined };
  const group = words.palette.foundDocs;
  return {
    entries: (index.data ?? []).map(({ name, summary, href }) => ({
      group,
      text: summary,
      detail: name,
      open: () => location.assign(href),
    })),
    search: {
      group: words.palette.actions,
      text: words.palette.searchDocs(q),
      detail: '',
      open: () => location.assign(`/v1/docs/search?q=${encodeURIComponent(q)}`),
    },
  };
}
