import { Link } from '@tanstack/react-router';
import type { StoredPage } from '@tidemark/sdk';
import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { VerdictBadge } from '../../parts/badge.tsx';
import { LineChart } from '../../parts/charts/line-chart.tsx';
import { ComparedWords } from '../../parts/diff/word-diff.tsx';
import { Panel } from '../../parts/panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { amount, moment } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { readingsOf, type Series, type ValueChange, valuesOverTime } from './values-over-time.ts';
import { Versions } from './versions.tsx';

const { page: texts } = words.pages;
const { timeline } = texts;
const READABLE: ReadonlySet<string> = new Set(['ok', 'thin', 'cached']);

interface Props {
  readonly project: string;
  readonly page: StoredPage;
}

/** A page through time: its values as charts, and its readings with what changed between two of them, newest first. */
export function Timeline({ project: id, page: { url, runId } }: Props) {
  const query = { url, run_id: runId, format: 'links', version_fields: true };
  const page = useRead('GET /projects/{id}/pages/content', { path: { id }, query });
  return (
    <Loaded of={page}>
      {(data) => {
        const { series, changes } = valuesOverTime(readingsOf(data));
        return (
          <div className="grid gap-4">
            {series.length + changes.length === 0 ? null : (
              <div className="grid gap-4 xl:grid-cols-2">
                {series.map((one) => (
                  <Values key={one.field ?? ''} series={one} />
                ))}
                {changes.length === 0 ? null : <Changes changes={changes} />}
              </div>
            )}
            <Versions project={id} url={url} />
            <Readings project={id} page={data} />
          </div>
        );
      }}
    </Loaded>
  );
}

/** The price, or a field with numbers, over time. */
function Values({ series: { field, currency, points } }: { series: Series }) {
  const title = field ?? texts.product.price;
  const format = (value: number) => amount(value, currency);
  const last = points.at(-1);
  return (
    <Panel
      title={title}
      actions={
        last === undefined ? null : <span className="text-lg font-semibold tabular-nums">{format(last.value)}</span>
      }
    >
      <LineChart
        label={title}
        format={format}
        points={points.map(({ at, value }) => ({ at, value, text: timeline.valueAt(format(value), moment(at)) }))}
      />
    </Panel>
  );
}

/** Changes of fields that are no numbers. */
const Changes = ({ changes }: { changes: readonly ValueChange[] }) => (
  <Panel title={timeline.changes}>
    <ol className="grid max-h-56 gap-2 overflow-auto text-sm">
      {changes.map(({ at, field, old, now }) => (
        <li key={`${at} ${field}`}>
          <p className="text-xs text-muted">
            {field} · {moment(at)}
          </p>
          <p dir="auto" className="anywhere">
            {old === null ? null : <del>{old}</del>} {now === null ? null : <ins>{now}</ins>}
          </p>
        </li>
      ))}
    </ol>
  </Panel>
);

function Readings({ project, page }: Props) {
  const { runId, crawledAt, verdict, httpStatus, words: length, url, versions, olderVersions } = page;
  const own = { runId, crawledAt, verdict: String(verdict), httpStatus, words: length, same: undefined };
  const all = [own, ...versions].sort((one, other) => other.crawledAt.localeCompare(one.crawledAt));
  return (
    <Panel title={timeline.readings}>
      <ol aria-label={timeline.readings} className="ms-1.5 border-s-2 border-line">
        {all.map((version, at) => (
          <li key={version.runId} className="relative pb-5 ps-5 last:pb-0">
            <span
              aria-hidden
              className={`absolute -start-[7px] top-1.5 size-3 rounded-full border-2 border-surface ${version.same === true ? 'bg-idle' : 'bg-accent'}`}
            />
            <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
              {version.runId === runId ? (
                <strong className="font-semibold">{moment(version.crawledAt)}</strong>
              ) : (
                <Link
                  to="/projects/$project/page"
                  params={{ project }}
                  search={{ url, run: version.runId }}
                  className="text-accent hover:underline"
                >
                  {moment(version.crawledAt)}
                </Link>
              )}
              <span className="text-sm">
                <Verdict verdict={version.verdict} />
              </span>
              <span className="text-sm text-muted">
                {[
                  version.httpStatus === null ? '' : timeline.status(String(version.httpStatus)),
                  words.counts.words(version.words),
                  version.runId === runId ? timeline.shown : version.same === true ? texts.versions.same : '',
                ]
                  .filter((part) => part !== '')
                  .join(' · ')}
              </span>
            </div>
            {version.same === true || !READABLE.has(version.verdict) ? null : (
              <WhatChanged
                project={project}
                url={url}
                run={version.runId}
                from={all.slice(at + 1).find((one) => READABLE.has(one.verdict))?.runId}
              />
            )}
          </li>
        ))}
      </ol>
      {olderVersions ? <p className="mt-4 text-sm text-muted">{timeline.older}</p> : null}
    </Panel>
  );
}

const VERDICTS = ['ok', 'thin', 'blocked', 'skipped', 'robots', 'cached'] as const;

function Verdict({ verdict }: { verdict: string }) {
  const known = VERDICTS.find((one) => one === verdict);
  return known === undefined ? verdict : <VerdictBadge verdict={known} />;
}

interface WhatProps {
  readonly project: string;
  readonly url: string;
  readonly run: string;
  /** The readable reading before; undefined: it is the first. */
  readonly from: string | undefined;
}

/** The changes since the reading before, read when they are opened. */
function WhatChanged({ project, url, run, from }: WhatProps) {
  const [isOpen, setOpen] = useState(false);
  if (from === undefined) return <p className="text-sm text-muted">{timeline.first}</p>;
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)} className="group mt-1">
      <summary className="inline-flex items-center gap-1 rounded text-sm text-muted hover:text-ink">
        <ArrowRight aria-hidden size={14} className="group-open:rotate-90" />
        {timeline.what}
      </summary>
      {isOpen ? (
        <div className="mt-2 rounded-md border border-line p-4">
          <ComparedWords project={project} url={url} run={run} from={from} layout="unified" all={false} />
        </div>
      ) : null}
    </details>
  );
}
