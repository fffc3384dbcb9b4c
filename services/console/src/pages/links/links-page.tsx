import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { Result } from '@tidemark/sdk';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useList } from '../../api/lists.ts';
import { useRead } from '../../api/queries.ts';
import { useMore } from '../../api/use-more.ts';
import { act } from '../../parts/act.ts';
import { Button } from '../../parts/button.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { RunPicker } from '../../parts/run-picker.tsx';
import { pathOf } from '../../parts/site-name.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { csvOf } from './csv-of.ts';
import { LINK_KINDS, type LinkKind } from './link-kinds.ts';

const { links: texts } = words;
const { columns: titles } = texts;
const FROM = '/projects/$project/links';
const ROUTE = 'GET /projects/{id}/runs/{run}/links';
/** Rows of a file that is made in the browser. */
const MAX_ROWS = 100_000;
type Finding = Result<typeof ROUTE>['data'][number];

/** Broken links, orphans, and pages that the sitemap lacks, of the last full run. */
export function LinksPage() {
  const { project } = useParams({ from: FROM });
  const view = useSearch({ from: FROM });
  const { kind = 'dead_ends' } = view;
  const navigate = useNavigate({ from: FROM });
  const sources = useRead('GET /projects/{id}/sources', { path: { id: project } });
  return (
    <Loaded of={sources} isPage>
      {({ runId: newest }) => {
        const runId = view.run ?? newest;
        return (
          <>
            <PageHead
              title={texts.title}
              actions={
                runId === null ? undefined : (
                  <>
                    <RunPicker
                      project={project}
                      run={view.run}
                      onRun={(run) => void navigate({ search: { ...view, run } })}
                    />
                    <ExportButton project={project} run={runId} kind={kind} />
                  </>
                )
              }
            />
            {runId === null ? (
              <Panel>
                <Empty title={texts.noRun} hint={texts.noRunHint} />
              </Panel>
            ) : (
              <Tabs
                label={texts.title}
                tabs={LINK_KINDS.map((key) => ({ key, text: texts.kinds[key] }))}
                current={kind}
                onChoose={(key) => void navigate({ search: { ...view, kind: key }, replace: true })}
              >
                <p className="mb-3 text-muted">{texts.summary[kind]}</p>
                <Findings project={project} run={runId} kind={kind} />
              </Tabs>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

interface Props {
  readonly project: string;
  readonly run: string;
  readonly kind: LinkKind;
}

function Findings({ project, run, kind }: Props) {
  const findings = useList(ROUTE, { path: { id: project, run }, query: { kind, limit: 200 } });
  const more = useMore(findings);
  return (
    <Panel flush>
      <Loaded of={findings}>
        {({ pages }) => {
          const rows = pages.flatMap(({ data }) => data);
          const coverage = pages[0]?.coverage;
          return (
            <>
              {coverage === undefined || coverage.verdict ? null : (
                <p className="anywhere rounded-t-lg bg-warn-tint px-4 py-2">{texts.noVerdict(coverage.why)}</p>
              )}
              {rows.length === 0 ? (
                <Empty title={texts.none[kind]} hint={texts.noneHint} />
              ) : (
                <VirtualTable
                  label={texts.kinds[kind]}
                  columns={columnsOf(project)}
                  rows={rows}
                  keyOf={({ url, referer }) => `${url} ${referer ?? ''}`}
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

const PageLink = ({ project, url }: { project: string; url: string }) => (
  <Link to="/projects/$project/page" params={{ project }} search={{ url }} className="block hover:underline">
    <span dir="ltr" title={url} className="block truncate">
      {pathOf(url)}
    </span>
  </Link>
);

const columnsOf = (project: string): readonly Column<Finding>[] => [
  {
    key: 'url',
    title: titles.url,
    cell: ({ url, referer }) => (
      <>
        <PageLink project={project} url={url} />
        {referer === null ? null : (
          <span dir="ltr" title={referer} className="block truncate text-xs text-muted md:hidden">
            {texts.from(pathOf(referer))}
          </span>
        )}
      </>
    ),
  },
  {
    key: 'status',
    title: titles.status,
    width: 110,
    cell: ({ httpStatus }) => httpStatus ?? <span className="text-muted">{texts.notFetched}</span>,
  },
  {
    key: 'inLinks',
    title: titles.inLinks,
    width: 110,
    align: 'end',
    wideOnly: true,
    cell: ({ inLinks }) => number(inLinks),
  },
  {
    key: 'referer',
    title: titles.referer,
    width: 340,
    wideOnly: true,
    cell: ({ referer }) => (referer === null ? null : <PageLink project={project} url={referer} />),
  },
];

/** Reads every finding of a kind and saves them as a file. */
function ExportButton({ project, run, kind }: Props) {
  const [isReading, setReading] = useState(false);
  const save = async () => {
    const rows: (readonly (string | number | null)[])[] = [];
    const path = { id: project, run };
    for await (const { url, httpStatus, inLinks, referer } of client.list(ROUTE, {
      path,
      query: { kind, limit: 1000 },
    })) {
      rows.push([url, httpStatus, inLinks, referer]);
      if (rows.length === MAX_ROWS) break;
    }
    const csv = csvOf(['url', 'httpStatus', 'inLinks', 'referer'], rows);
    const url = URL.createObjectURL(new Blob([csv], { type: 'text/csv' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = texts.fileName;
    link.click();
    URL.revokeObjectURL(url);
  };
  const start = async () => {
    setReading(true);
    await act(save);
    setReading(false);
  };
  return (
    <Button disabled={isReading} onClick={() => void start()}>
      <Download aria-hidden size={16} />
      {isReading ? texts.exporting : texts.export}
    </Button>
  );
}
