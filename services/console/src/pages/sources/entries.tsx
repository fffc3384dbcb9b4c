import { useNavigate, useSearch } from '@tanstack/react-router';
import type { DiscoveryEntries, MapRow } from '@tidemark/sdk';
import { useList } from '../../api/lists.ts';
import { useMore } from '../../api/use-more.ts';
import { Button } from '../../parts/button.tsx';
import { Select, TextField } from '../../parts/field.tsx';
import { Panel } from '../../parts/panel.tsx';
import { pathOf } from '../../parts/site-name.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { ENTRY_SETS, type SourcesView } from './sources-view.ts';

const { tree: texts } = words.sources;
const { entryColumns: titles } = texts;
const FROM = '/projects/$project/sources';
const MAX_FOLDERS = 12;
const SETS = [
  { value: '', text: texts.everySet },
  ...ENTRY_SETS.map((value) => ({ value, text: texts.sets[value] })),
] as const;

const COLUMNS: readonly Column<MapRow>[] = [
  {
    key: 'url',
    title: titles.url,
    cell: ({ url, section }) => (
      <>
        <a href={url} target="_blank" rel="noreferrer" dir="ltr" title={url} className="block truncate hover:underline">
          {pathOf(url)}
        </a>
        <span className="block truncate text-xs text-muted">{section}</span>
      </>
    ),
  },
  {
    key: 'lastmod',
    title: titles.lastmod,
    width: 120,
    cell: ({ lastmod }) => <span className="tabular-nums">{lastmod?.slice(0, 10)}</span>,
  },
];

/** The URLs that the tree, or one file of it, declares: by folder, by a part of the URL, by their change. */
export function Entries({ project }: { project: string }) {
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const { file, prefix, q, set } = view;
  const change = (next: Partial<SourcesView>) =>
    void navigate({ search: { ...view, ...next }, replace: true, resetScroll: false });
  const filter = {
    ...(file === undefined ? {} : { file }),
    ...(prefix === undefined ? {} : { prefix }),
    ...(q === undefined ? {} : { q }),
    ...(set === undefined ? {} : { set }),
  };
  const entries = useList('GET /projects/{id}/discovery/entries', {
    path: { id: project },
    query: { ...filter, limit: 200 },
  });
  const more = useMore(entries);
  return (
    <Panel title={file === undefined ? texts.entries : texts.entriesOf(pathOf(file))} flush>
      <div className="grid gap-3 px-4 pb-3 sm:grid-cols-2">
        <TextField
          label={texts.filter}
          type="search"
          dir="ltr"
          value={q ?? ''}
          onChange={(event) => change({ q: event.target.value === '' ? undefined : event.target.value })}
        />
        <Select
          label={texts.set}
          value={set ?? ''}
          choices={SETS}
          onValue={(value) => change({ set: value === '' ? undefined : value })}
        />
      </div>
      <Loaded of={entries}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          const [first] = pages;
          return (
            <>
              <Folders first={first} prefix={prefix} onOpen={(next) => change({ prefix: next })} />
              {rows.length === 0 ? (
                <Empty title={texts.noEntries} />
              ) : (
                <VirtualTable
                  label={texts.entries}
                  columns={COLUMNS}
                  rows={rows}
                  keyOf={({ url }) => url}
                  total={first?.total}
                  onEnd={more}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

interface FolderProps {
  readonly first: DiscoveryEntries | undefined;
  readonly prefix: string | undefined;
  readonly onOpen: (prefix: string | undefined) => void;
}

/** The number of matches, and the folders below the open one. */
function Folders({ first, prefix, onOpen }: FolderProps) {
  if (first === undefined) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 px-4 pb-3">
      <span className="text-muted">{words.counts.urls(first.total)}</span>
      {prefix === undefined ? null : <Button onClick={() => onOpen(undefined)}>{texts.up}</Button>}
      {first.prefixes.slice(0, MAX_FOLDERS).map((folder) => (
        <Button key={folder.prefix} className="max-w-full" onClick={() => onOpen(folder.prefix)}>
          <span dir="ltr" className="truncate">
            {texts.openFolder(folder.prefix, number(folder.urls))}
          </span>
        </Button>
      ))}
    </div>
  );
}
