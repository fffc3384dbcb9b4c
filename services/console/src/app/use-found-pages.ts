import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { client } from '../api/client.ts';
import { read } from '../api/queries.ts';
import { pathOf } from '../parts/site-name.tsx';
import { useSettled } from '../parts/use-settled.ts';
import { words } from '../words/words.ts';
import { type Entry, matching } from './palette-matches.ts';

const MIN_CHARS = 2;
const SHOWN = 6;
/** Changes that are searched: those of the newest record, the most important first. */
const MAX_CHANGES = 500;

/** Characters of the query language: the text of the palette is words. */
const plainWords = (text: string): string => text.replace(/[:"<>]/g, ' ').trim();

interface Found {
  readonly entries: readonly Entry[];
  readonly isSearching: boolean;
}

/** Finds changes of the last run and pages of the open project: by URL and title, then pages by their content. */
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
  const changes = useQuery({
    ...read('GET /projects/{id}/changes', { path, query: { kind: 'changed', limit: MAX_CHANGES } }),
    enabled: isEnabled,
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
  const changed = (changes.data?.entries ?? []).map(
    ({ id, title, url }): Entry => ({
      group: words.palette.foundChanges,
      text: title ?? pathOf(url),
      detail: pathOf(url),
      open: () => void navigate({ to: '/projects/$project/changes', params: { project }, search: { change: id } }),
    }),
  );
  return {
    entries: [
      ...matching(changed, q).slice(0, SHOWN),
      ...byName.map((page) => entryOf(words.palette.foundPages, page)),
      ...byContent.map((page) => entryOf(words.palette.foundContent, page)),
    ],
    isSearching: named.isFetching || content.isFetching,
  };
}
