import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { StoredPage } from '@tidemark/sdk';
import { ExternalLink, MousePointerClick } from 'lucide-react';
import type { ReactNode } from 'react';
import { useRead } from '../../api/queries.ts';
import { VerdictBadge } from '../../parts/badge.tsx';
import { buttonClass } from '../../parts/button.tsx';
import { engineName } from '../../parts/engine-name.ts';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { RunPicker } from '../../parts/run-picker.tsx';
import { pathOf } from '../../parts/site-name.tsx';
import { Empty, Loaded, Missing } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { number } from '../../words/format.ts';
import { languageName } from '../../words/language-name.ts';
import { words } from '../../words/words.ts';
import { Evidence } from './evidence.tsx';
import { Links } from './links.tsx';
import { PAGE_TABS } from './page-tabs.ts';
import { productDetails } from './product-details.ts';
import { Reading, Screenshot } from './reading.tsx';
import { RemovedParts } from './removed-parts.tsx';
import { Timeline } from './timeline.tsx';

const { page: texts, foundVia: waysFound } = words.pages;
const FROM = '/projects/$project/page';

/** One stored page: its text, why it has its verdict, its links and its other readings. */
export function PagePage() {
  const { url } = useSearch({ from: FROM });
  return url === undefined ? <Missing title={texts.missingUrl} /> : <OnePage url={url} />;
}

function OnePage({ url }: { url: string }) {
  const { project: id } = useParams({ from: FROM });
  const { run } = useSearch({ from: FROM });
  const query = { url, ...(run === undefined ? {} : { run_id: run }), format: 'markdown,links' };
  const page = useRead('GET /projects/{id}/pages/content', { path: { id }, query });
  return (
    <Loaded of={page} isPage whenMissing={run === undefined ? undefined : <NotInRun url={url} />}>
      {(data) => <PageView page={data} />}
    </Loaded>
  );
}

/** The run whose state is shown. */
function ShownRun() {
  const { project } = useParams({ from: FROM });
  const search = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  return (
    <RunPicker project={project} run={search.run} onRun={(run) => void navigate({ search: { ...search, run } })} />
  );
}

/** The chosen run did not read the page. */
const NotInRun = ({ url }: { url: string }) => (
  <>
    <PageHead title={pathOf(url)} url={url} actions={<ShownRun />} />
    <Panel>
      <Empty title={words.runs.picker.notRead} hint={words.runs.picker.notReadHint} scene="away" />
    </Panel>
  </>
);

function PageView({ page }: { page: StoredPage }) {
  const { project } = useParams({ from: FROM });
  const search = useSearch({ from: FROM });
  const navigate = useNavigate({ from: FROM });
  const tab = search.tab ?? 'reading';
  return (
    <>
      <PageHead
        title={page.title ?? pathOf(page.url)}
        url={page.url}
        actions={
          <>
            <ShownRun />
            <Link
              to="/projects/$project/picker"
              params={{ project }}
              search={{ url: page.url, run: search.run }}
              className={buttonClass()}
            >
              <MousePointerClick aria-hidden size={16} />
              {words.picker.title}
            </Link>
            <a href={page.url} target="_blank" rel="noreferrer" className={buttonClass()}>
              <ExternalLink aria-hidden size={16} />
              {texts.open}
            </a>
          </>
        }
      />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="min-w-0">
          <Tabs
            label={texts.crumb}
            tabs={PAGE_TABS.map((key) => ({ key, text: texts.tabs[key] }))}
            current={tab}
            onChoose={(key) => void navigate({ search: { ...search, tab: key }, replace: true })}
          >
            {tab === 'history' ? (
              <Timeline project={project} page={page} />
            ) : (
              <Panel flush={tab !== 'evidence'}>
                {tab === 'reading' ? <Reading key={page.runId} project={project} page={page} /> : null}
                {tab === 'evidence' ? <Evidence page={page} /> : null}
                {tab === 'links' ? <Links links={page.links ?? []} /> : null}
                {tab === 'removed' ? <RemovedParts project={project} page={page} /> : null}
              </Panel>
            )}
          </Tabs>
        </div>
        <aside aria-label={texts.about} className="grid gap-4 rounded-lg border border-line bg-surface p-4">
          <Values items={detailsOf(page)} />
          {page.product === null ? null : (
            <section aria-label={texts.product.title} className="border-t border-line pt-4">
              <h2 className="mb-2 text-base font-semibold">{texts.product.title}</h2>
              <Values items={productDetails(page.product)} />
            </section>
          )}
          <Screenshot project={project} page={page} />
        </aside>
      </div>
    </>
  );
}

/** Names and values, one a line. */
const Values = ({ items }: { items: readonly (readonly [string, ReactNode])[] }) => (
  <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm">
    {items.map(([name, value]) => (
      <div key={name} className="contents">
        <dt className="text-muted">{name}</dt>
        <dd className="anywhere text-end">{value}</dd>
      </div>
    ))}
  </dl>
);

function detailsOf(page: StoredPage) {
  const { details: names } = texts;
  return [
    [names.verdict, <VerdictBadge key="verdict" verdict={page.verdict} />],
    [names.status, page.httpStatus ?? '–'],
    [names.words, number(page.words)],
    [names.credits, number(page.credits)],
    ...(page.method === null ? [] : [[names.engine, engineName(page.method)] as const]),
    ...(page.language === null ? [] : [[names.language, languageName(page.language)] as const]),
    ...(page.depth === undefined ? [] : [[names.depth, number(page.depth)] as const]),
    ...(page.foundVia === undefined ? [] : [[names.foundVia, waysFound[page.foundVia] ?? page.foundVia] as const]),
    [names.read, <Time key="read" at={page.crawledAt} />],
  ] as const;
}
