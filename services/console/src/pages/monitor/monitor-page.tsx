import { Link } from '@tanstack/react-router';
import type { Monitor } from '@tidemark/sdk';
import { useRead } from '../../api/queries.ts';
import { Badge } from '../../parts/badge.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { PlainTable } from '../../parts/plain-table.tsx';
import { shortUrl } from '../../parts/site-name.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { number } from '../../words/format.ts';
import { words } from '../../words/words.ts';

const { monitor: texts } = words;
const { columns: titles } = texts;
/** Work in progress changes by itself, ms. */
const REFRESH_MS = 3_000;
const TONES = { queued: 'idle', running: 'info', paused: 'warn' } as const;
type Job = Monitor['jobs'][number];

/** What waits and what runs: queues, workers and jobs of the workspace. */
export function MonitorPage() {
  const monitor = useRead('GET /me/monitor', {}, { refetchInterval: REFRESH_MS });
  return (
    <>
      <PageHead
        title={texts.title}
        note={monitor.data === undefined ? undefined : texts.jobs(words.counts.jobs(monitor.data.total))}
      />
      <Loaded of={monitor}>
        {({ queues, workers, jobs }) => (
          <>
            <div className="mb-4 grid gap-4 lg:grid-cols-2">
              <Panel title={texts.queues} flush>
                <PlainTable
                  label={texts.queues}
                  titles={[texts.queue, texts.priority, texts.queued, texts.running]}
                  rows={queues}
                  keyOf={({ queue, priority }) => `${queue} ${priority}`}
                  cells={({ queue, priority, queued, running }) => [
                    texts.queueNames[queue],
                    texts.priorities[priority],
                    number(queued),
                    number(running),
                  ]}
                />
              </Panel>
              <Panel title={texts.workers} flush>
                {workers.length === 0 ? (
                  <p className="px-4 pb-4 text-muted">{texts.noWorkers}</p>
                ) : (
                  <PlainTable
                    label={texts.workers}
                    titles={[texts.worker, texts.jobList]}
                    rows={workers}
                    keyOf={({ name }) => name}
                    cells={({ name, jobs: held }) => [name, number(held)]}
                  />
                )}
              </Panel>
            </div>
            <Panel title={texts.jobList} flush>
              {jobs.length === 0 ? (
                <Empty title={texts.none} hint={texts.noneHint} />
              ) : (
                <VirtualTable label={texts.jobList} columns={COLUMNS} rows={jobs} keyOf={({ id }) => id} />
              )}
            </Panel>
          </>
        )}
      </Loaded>
    </>
  );
}

function JobName({ id, kind, url, projectId }: Job) {
  const content = (
    <>
      <span dir="ltr" className="block truncate font-medium" title={url}>
        {shortUrl(url)}
      </span>
      <span className="block truncate font-mono text-xs text-muted">{id}</span>
    </>
  );
  const isRun = projectId !== null && (kind === 'crawl' || kind === 'recrawl');
  return isRun ? (
    <Link to="/projects/$project/runs/$run" params={{ project: projectId, run: id }} className="block hover:underline">
      {content}
    </Link>
  ) : (
    content
  );
}

const COLUMNS: readonly Column<Job>[] = [
  { key: 'job', title: titles.job, cell: (job) => <JobName {...job} /> },
  { key: 'kind', title: titles.kind, width: 120, wideOnly: true, cell: ({ kind }) => texts.kinds[kind] },
  {
    key: 'status',
    title: titles.status,
    width: 130,
    cell: ({ status }) => <Badge tone={TONES[status]}>{texts.statuses[status]}</Badge>,
  },
  {
    key: 'progress',
    title: titles.progress,
    width: 110,
    align: 'end',
    cell: ({ done, total }) => `${number(done)} / ${number(total)}`,
  },
  {
    key: 'worker',
    title: titles.worker,
    width: 160,
    wideOnly: true,
    cell: ({ worker }) => <span className="block truncate">{worker}</span>,
  },
  { key: 'since', title: titles.since, width: 130, wideOnly: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];
