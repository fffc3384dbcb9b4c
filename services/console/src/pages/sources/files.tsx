import { useNavigate, useSearch } from '@tanstack/react-router';
import type { MapFile } from '@tidemark/sdk';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Panel } from '../../parts/panel.tsx';
import { pathOf } from '../../parts/site-name.tsx';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { type FileRow, fileRows } from './file-rows.ts';

const { tree: texts } = words.sources;
const { fileColumns: titles } = texts;
const FROM = '/projects/$project/sources';
const TONES: Readonly<Record<MapFile['verdict'], Tone>> = {
  read: 'good',
  partial: 'warn',
  blocked: 'bad',
  missing: 'idle',
  failed: 'bad',
  skipped: 'idle',
};

/** The files of the tree, indented below their indexes; one opens its URLs. */
export function Files({ files }: { files: readonly MapFile[] }) {
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const open = (file: string | undefined) =>
    void navigate({ search: { tab: 'tree', file }, replace: true, resetScroll: false });
  const columns: readonly Column<FileRow>[] = [
    {
      key: 'file',
      title: titles.file,
      cell: ({ file: { url, foundBy, lastmodTo }, depth }) => (
        <button
          type="button"
          aria-pressed={view.file === url}
          title={url}
          onClick={() => open(view.file === url ? undefined : url)}
          className="block w-full text-start hover:underline aria-pressed:text-accent"
          style={{ paddingInlineStart: `${depth}rem` }}
        >
          <span dir="ltr" className="block truncate">
            {pathOf(url)}
          </span>
          <span className="block truncate text-xs text-muted">
            {texts.foundBy[foundBy]}
            {lastmodTo === null ? '' : ` · ${lastmodTo.slice(0, 10)}`}
          </span>
        </button>
      ),
    },
    {
      key: 'verdict',
      title: titles.verdict,
      width: 130,
      cell: ({ file: { verdict, error } }) => (
        <span title={error ?? ''}>
          <Badge tone={TONES[verdict]}>{texts.verdicts[verdict]}</Badge>
        </span>
      ),
    },
    { key: 'urls', title: titles.urls, width: 80, align: 'end', cell: ({ file }) => number(file.urls) },
  ];
  return (
    <Panel
      title={texts.files}
      flush
      actions={view.file === undefined ? undefined : <Button onClick={() => open(undefined)}>{texts.all}</Button>}
    >
      <VirtualTable label={texts.files} columns={columns} rows={fileRows(files)} keyOf={({ file }) => file.url} />
    </Panel>
  );
}
