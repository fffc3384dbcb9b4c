import { Link } from '@tanstack/react-router';
import type { RunSummary } from '@tidemark/sdk';
import { RunBadge } from '../../parts/badge.tsx';
import { Time } from '../../parts/time.tsx';
import type { Column } from '../../parts/virtual-table.tsx';
import { duration, number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { columns: titles, triggers, kinds, noChange, comparing } = words.runs;
const { stops } = words.runStops;

function Changes({ run: { id: run, projectId: project, changes } }: { run: RunSummary }) {
  if (changes === null) return null;
  if (changes.counts === null) return changes.status === 'making' ? comparing : null;
  const { added, removed, modified } = changes.counts;
  const shown = [
    { kind: 'added', count: added, colour: 'bg-good' },
    { kind: 'modified', count: modified, colour: 'bg-warn' },
    { kind: 'removed', count: removed, colour: 'bg-bad' },
  ] as const;
  const some = shown.filter(({ count }) => count > 0);
  return (
    <Link
      to="/projects/$project/changes"
      params={{ project }}
      search={{ run }}
      className="inline-flex flex-wrap gap-x-3 hover:underline"
    >
      {some.length === 0 ? <span className="text-muted">{noChange}</span> : null}
      {some.map(({ kind, count, colour }) => (
        <span key={kind} className="inline-flex items-center gap-1.5 whitespace-nowrap">
          <span aria-hidden className={`size-2 rounded-full ${colour}`} />
          {`${number(count)} ${kinds[kind]}`}
        </span>
      ))}
    </Link>
  );
}

const took = ({ startedAt, finishedAt }: RunSummary): string =>
  startedAt === null || finishedAt === null ? '' : duration(Date.parse(finishedAt) - Date.parse(startedAt));

/** Returns the columns of the table of runs. */
export const runColumns = (project: string): readonly Column<RunSummary>[] => [
  {
    key: 'started',
    title: titles.started,
    cell: ({ id, createdAt, stop }) => (
      <Link to="/projects/$project/runs/$run" params={{ project, run: id }} className="block min-w-0 hover:underline">
        <Time at={createdAt} />
        {stop === null || stop === 'finished' ? null : (
          <span className="block truncate text-xs text-muted">{stops[stop]}</span>
        )}
      </Link>
    ),
  },
  { key: 'status', title: titles.status, width: 120, cell: ({ status }) => <RunBadge status={status} /> },
  { key: 'pages', title: titles.pages, width: 80, align: 'end', cell: ({ progress }) => number(progress.done) },
  {
    key: 'changes',
    title: titles.changes,
    width: 340,
    wideOnly: true,
    cell: (run) => <Changes run={run} />,
  },
  {
    key: 'credits',
    title: titles.credits,
    width: 90,
    align: 'end',
    wideOnly: true,
    cell: ({ creditsUsed }) => number(creditsUsed),
  },
  { key: 'took', title: titles.took, width: 120, align: 'end', wideOnly: true, cell: took },
  { key: 'trigger', title: titles.trigger, width: 120, wideOnly: true, cell: ({ trigger }) => triggers[trigger] },
];
