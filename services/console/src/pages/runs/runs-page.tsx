import { Link, useParams } from '@tanstack/react-router';
import { Play } from 'lucide-react';
import { useCallback } from 'react';
import { useList } from '../../api/lists.ts';
import { useRead } from '../../api/queries.ts';
import { useCan } from '../../api/session.ts';
import { HealthBadge } from '../../parts/badge.tsx';
import { Button, buttonClass } from '../../parts/button.tsx';
import { ChangesTimeline } from '../../parts/changes-timeline.tsx';
import { Details } from '../../parts/details.tsx';
import { FailedRun } from '../../parts/failed-run.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { RunPrice } from '../../parts/settings/run-price.tsx';
import { scheduleText } from '../../parts/settings/schedule-text.ts';
import { shortUrl } from '../../parts/site-name.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { VirtualTable } from '../../parts/virtual-table.tsx';
import { words } from '../../words/words.ts';
import { runColumns } from './run-columns.tsx';
import { useRunNow } from './use-run-now.ts';

const { runs: texts } = words;
/** A run in progress changes by itself, ms. */
const REFRESH_MS = 5_000;

/** A project: its state, and its runs. */
export function RunsPage() {
  const { project: id } = useParams({ from: '/projects/$project/' });
  const project = useRead('GET /projects/{id}', { path: { id } });
  const canWrite = useCan('write');
  const { start, isSending } = useRunNow(id);
  const underWay = useRunUnderWay(id);
  return (
    <Loaded of={project} isPage>
      {({ name, seed, config, health, schedule, nextRunAt, lastRun }) => (
        <>
          <PageHead
            title={name ?? shortUrl(seed)}
            note={
              <a href={seed} target="_blank" rel="noreferrer" className="hover:underline">
                {shortUrl(seed)}
              </a>
            }
            actions={
              underWay !== undefined ? (
                <Link
                  to="/projects/$project/runs/$run"
                  params={{ project: id, run: underWay }}
                  className={buttonClass('primary')}
                >
                  {texts.underWay}
                </Link>
              ) : canWrite ? (
                <>
                  <RunPrice project={id} config={config} />
                  <Button kind="primary" onClick={start} disabled={isSending}>
                    <Play aria-hidden size={16} />
                    {texts.start}
                  </Button>
                </>
              ) : undefined
            }
          />
          <FailedRun run={lastRun} />
          <Details
            items={[
              [texts.health, <HealthBadge key="health" health={health} />],
              [texts.lastRun, <Time key="last" at={lastRun?.finishedAt} />],
              [texts.schedule, scheduleText(schedule)],
              ...(nextRunAt === null ? [] : ([[texts.nextRun, <Time key="next" at={nextRunAt} />]] as const)),
            ]}
          />
          <RunHistory id={id} />
        </>
      )}
    </Loaded>
  );
}

const useRuns = (id: string) =>
  useList('GET /projects/{id}/runs', { path: { id }, query: { limit: 100 } }, { refetchInterval: REFRESH_MS });

/** Returns the run that has not ended: a project has at most one. */
function useRunUnderWay(id: string): string | undefined {
  const newest = useRuns(id).data?.pages[0]?.data ?? [];
  return newest.find(({ status }) => status === 'queued' || status === 'running')?.id;
}

function RunHistory({ id }: { id: string }) {
  const runs = useRuns(id);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = runs;
  const more = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <Loaded of={runs}>
      {({ pages }) => {
        const rows = pages.flatMap(({ data }) => data);
        return (
          <>
            <ChangesTimeline project={id} runs={rows} />
            <Panel title={texts.history} flush>
              {rows.length === 0 ? (
                <Empty title={texts.noRun} hint={texts.noRunHint} />
              ) : (
                <VirtualTable
                  label={texts.history}
                  columns={runColumns(id)}
                  rows={rows}
                  keyOf={({ id: run }) => run}
                  onEnd={more}
                />
              )}
            </Panel>
          </>
        );
      }}
    </Loaded>
  );
}
