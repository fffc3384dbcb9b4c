import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { PageRow } from '@tidemark/sdk';
import { RotateCw } from 'lucide-react';
import { useCallback, useState } from 'react';
import { useList } from '../../api/lists.ts';
import { useCan } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { RunPicker } from '../../parts/run-picker.tsx';
import { Segments } from '../../parts/segments.tsx';
import { siteNameIn } from '../../parts/site-name-in.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import { words } from '../../words/words.ts';
import { withoutLastTerm } from './complete-query.ts';
import { pageColumns } from './page-columns.tsx';
import { SORTS } from './pages-view.ts';
import { QueryBar } from './query-bar.tsx';
import { useRecrawl } from './use-recrawl.ts';
import { VERDICTS, verdictIn, withVerdict } from './verdict-filter.ts';
import { VersionBar, VersionResults } from './version-search.tsx';

const { pages: texts } = words;
const VERDICT_CHOICES = VERDICTS.map((value) => ({
  value,
  text: value === '' ? texts.allVerdicts : words.verdicts[value],
}));
const FROM = '/projects/$project/pages';
const PAGE_ROWS = 200;
const MAX_TITLES = 200;

function usePages(id: string) {
  const { q, run, sort } = useSearch({ from: FROM });
  const query = {
    limit: PAGE_ROWS,
    omit: 'head,timingsMs,signals,fields',
    ...(q === undefined ? {} : { q }),
    ...(run === undefined ? {} : { run_id: run }),
    ...(sort === undefined ? {} : { sort }),
  };
  const pages = useList('GET /projects/{id}/pages', { path: { id }, query });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = pages;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return { pages, more };
}

/** The pages of a run, chosen by a query. */
export function PagesPage() {
  const { project } = useParams({ from: FROM });
  const view = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const { pages, more } = usePages(project);
  const total = pages.data?.pages[0]?.total ?? undefined;
  const apply = (q: string) => void navigate({ search: { ...view, q: q === '' ? undefined : q } });
  const order = (sort: string | undefined) =>
    void navigate({ search: { ...view, sort: SORTS.find((one) => one === sort) } });
  return (
    <>
      <PageHead
        title={texts.title}
        note={total === undefined ? undefined : words.counts.pages(total)}
        actions={
          <RunPicker project={project} run={view.run} onRun={(run) => void navigate({ search: { ...view, run } })} />
        }
      />
      <Panel flush title={texts.versions.title} className="mb-4">
        <div className="px-3 pb-3">
          <VersionBar
            key={view.said ?? ''}
            value={view.said ?? ''}
            onApply={(said) => void navigate({ search: { ...view, said } })}
          />
        </div>
        {view.said === undefined ? null : <VersionResults project={project} q={view.said} />}
      </Panel>
      <Panel flush>
        <div className="p-3">
          <QueryBar key={view.q ?? ''} value={view.q ?? ''} onApply={apply} />
          <div className="mt-2 flex">
            <Segments
              label={texts.columns.verdict}
              value={verdictIn(view.q ?? '')}
              choices={VERDICT_CHOICES}
              onValue={(verdict) => apply(withVerdict(view.q ?? '', verdict))}
            />
          </div>
        </div>
        <Loaded of={pages}>
          {(data) => {
            const rows = data.pages.flatMap((one) => one.data);
            if (data.pages[0]?.runId === null) return <Empty title={texts.noRun} hint={texts.noRunHint} />;
            return rows.length === 0 ? (
              <NoMatch q={view.q ?? ''} apply={apply} />
            ) : (
              <PageTable rows={rows} total={total} more={more} order={order} />
            );
          }}
        </Loaded>
      </Panel>
    </>
  );
}

function NoMatch({ q, apply }: { q: string; apply: (q: string) => void }) {
  return (
    <Empty title={texts.none} hint={texts.noneHint}>
      {q === '' ? null : (
        <div className="flex gap-2">
          <Button onClick={() => apply(withoutLastTerm(q))}>{texts.dropLast}</Button>
          <Button onClick={() => apply('')}>{texts.clear}</Button>
        </div>
      )}
    </Empty>
  );
}

interface TableProps {
  readonly rows: readonly PageRow[];
  readonly total: number | undefined;
  readonly more: () => void;
  readonly order: (sort: string | undefined) => void;
}

function PageTable({ rows, total, more, order }: TableProps) {
  const { project } = useParams({ from: FROM });
  const view = useSearch({ from: FROM });
  const canWrite = useCan('write');
  const recrawl = useRecrawl(project);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  // What most titles of the site end in is no part of the name of a page.
  const siteName = siteNameIn(rows.slice(0, MAX_TITLES).map(({ title }) => title));
  const isAll = rows.every(({ url }) => chosen.has(url));
  const toggle = (url: string) =>
    setChosen((was) => (was.has(url) ? new Set([...was].filter((one) => one !== url)) : new Set([...was, url])));
  const toggleAll = () => setChosen(new Set(isAll ? [] : rows.map(({ url }) => url)));
  return (
    <>
      {chosen.size === 0 ? null : (
        <div className="flex items-center justify-end gap-3 px-3 pb-3">
          <span className="text-muted">{texts.chosen(words.counts.pages(chosen.size))}</span>
          <Button onClick={() => void recrawl([...chosen])}>
            <RotateCw aria-hidden size={16} />
            {texts.recrawl}
          </Button>
        </div>
      )}
      <VirtualTable
        label={texts.title}
        columns={pageColumns(project, view.run, canWrite ? { chosen, toggle, toggleAll, isAll } : undefined, siteName)}
        rows={rows}
        keyOf={({ id }) => id}
        total={total}
        onEnd={more}
        order={view.sort}
        onOrder={order}
        className="max-h-[max(20rem,calc(100dvh-17rem))]"
      />
    </>
  );
}
