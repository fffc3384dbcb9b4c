import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { client } from '../api/client.ts';
import { pathOf } from '../parts/site-name.tsx';
import { useSettled } from '../parts/use-settled.ts';
import { words } from '../words/words.ts';
import type { Entry } from './palette-matches.ts';

const MIN_CHARS = 2;
const SHOWN = 6;

/** Characters of the query language: the text of the palette is words. */
const plainWords = (text: string): string => text.replace(/[:"<>]/g, ' ').trim();

interface Found {
  readonly entries: readonly Entry[];
  readonly isSearching: boolean;
}

/** Finds pages of the open project: by address and title, then by their content. */
export function useFoundPages(text: string): Found {
  const navigate = useNavigate();
  const { project = '' } = useParams({ strict: false });
  const q = useSettled(plainWords(text), plainWords(text));
  const isEnabled = project !== '' && q.length >= MIN_CHARS;
  const path = { id: project };
  const named = useQuery({
    queryKey: ['palette', 'pages', project, q],
    enabled: isEnabled,
    queryFn: ({ signal }) =>
      client.send('GET /projects/{id}/pages', { path, query: { q, limit: SHOWN, fields: 'url,title' }, signal }),
  });
  const content = useQuery({
    queryKey: ['palette', 'content', project, q],
    enabled: isEnabled,
    queryFn: ({ signal }) =>
      client.send('POST /projects/{id}/pages/search', { path, body: { q, limit: SHOWN }, signal }),
  });
  if (!isEnabled) return { entries: [], isSearching: false };
  const byName = named.data?.data ?? [];
  const known = new Set(byName.map(({ url }) => url));
  const byContent = (content.data?.data ?? []).filter(({ url }) => !known.has(url));
  const entryOf = (group: string, { url, title }: { readonly url: string; readonly title?: string | null }): Entry => ({
    group,
    text: title ?? pathOf(url),
    detail: pathOf(url),
    open: () => void navigate({ to: '/projects/$project/page', params: { project }, search: { url } }),
  });
  return {
    entries: [
      ...byName.map((page) => entryOf(words.palette.foundPages, page)),
      ...byContent.map((page) => entryOf(words.palette.foundContent, page)),
    ],
    isSearching: named.isFetching || content.isFetching,
  };
}
