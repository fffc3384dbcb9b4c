import { useNavigate, useParams } from '@tanstack/react-router';
import type { RunDetail } from '@tidemark/sdk';
import { useCallback } from 'react';
import { type LiveRun, useLiveRun } from '../../api/live.ts';
import { refresh, useRead } from '../../api/queries.ts';
import { RunBadge } from '../../parts/badge.tsx';
import { Details } from '../../parts/details.tsx';
import { FailedRun } from '../../parts/failed-run.tsx';
import { PageHead, Panel } from '../../parts/panel.tsx';
import { Progress } from '../../parts/progress.tsx';
import { ShareBar, verdictParts } from '../../parts/share-bar.tsx';
import { EstimateLine, SectionEstimates } from '../../parts/site-estimate.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { duration, moment, number } from '../../words/format.ts';
import { words } from '../../words/words.ts';
import { RunActions } from './run-actions.tsx';
import { Engines, Hosts, Log, NewestPages, Traps } from './run-parts.tsx';

const { run: texts, triggers } = words.runs;
const { stops } = words.runStops;
const REFRESH_MS = 2_000;
const isActive = ({ status }: Pick<RunDetail, 'status'>): boolean => status === 'queued' || status === 'running';

/** One run: progress while it runs, then its outcome, its cost and why it stopped. */
export function RunPage() {
  const { project: id, run } = useParams({ from: '/projects/$project/runs/$run' });
  const detail = useRead('GET /projects/{id}/runs/{run}', { path: { id, run } }, { refetchInterval: REFRESH_MS });
  return (
    <Loaded of={detail} isPage>
      {(data) => <RunView key={data.id} run={data} />}
    </Loaded>
  );
}

function RunView({ run }: { run: RunDetail }) {
  const navigate = useNavigate();
  const active = isActive(run);
  const hasEngines = run.engines !== null && run.engines.length > 0;
  const poll = useCallback(() => void refresh('GET /projects/{id}/runs/{run}'), []);
  const onEnd = useCallback(
    () =>
      void refresh('GET /projects/{id}/runs/{run}', 'GET /projects/{id}/runs', 'GET /projects/{id}', 'GET /projects'),
    [],
  );
  const live = useLiveRun(active ? run.id : undefined, { poll, onEnd });
  const showPages = (verdict: string) =>
    void navigate({
      to: '/projects/$project/pages',
      params: { project: run.projectId },
      search: { q: `verdict:${verdict}`, run: run.id },
    });
  return (
    <>
      <PageHead
        title={texts.title(moment(run.createdAt))}
        note={<RunBadge status={run.status} />}
        actions={<RunActions run={run} />}
      />
      <FailedRun run={run} />
      <Details items={detailsOf(run)} />
      <div className="grid gap-4 lg:grid-cols-3">
        {active ? <LiveProgress run={run} live={live} /> : null}
        <Panel title={texts.verdicts} className={hasEngines ? 'lg:col-span-2' : 'lg:col-span-3'}>
          <ShareBar parts={verdictParts(run.counts, words.verdicts)} onChoose={showPages} />
        </Panel>
        <Engines engines={run.engines} />
        {run.coverage === null ? null : (
          <Panel title={words.coverage.title} className="lg:col-span-3">
            <EstimateLine {...run.coverage} />
            <SectionEstimates estimate={run.coverage.estimate} />
          </Panel>
        )}
        {active ? <NewestPages pages={live.pages} /> : null}
        <Hosts held={run.held} />
        <Traps traps={run.traps} />
        <Log entries={run.log} />
      </div>
    </>
  );
}

function detailsOf({ startedAt, finishedAt, stop, error, trigger, progress, creditsUsed }: RunDetail) {
  const why = error ?? (stop === null ? null : stops[stop]);
  const ended = startedAt !== null && finishedAt !== null;
  return [
    [texts.started, <Time key="started" at={startedAt} />],
    ...(ended ? [[texts.took, duration(Date.parse(finishedAt) - Date.parse(startedAt))] as const] : []),
    [words.runs.columns.trigger, triggers[trigger]],
    [texts.pages, number(progress.done)],
    [texts.credits, number(creditsUsed)],
    ...(why === null ? [] : [[texts.stop, why] as const]),
  ] as const;
}

function LiveProgress({ run, live }: { run: RunDetail; live: LiveRun }) {
  const { done, total, queued } = live.progress ?? run.progress;
  const minutes = run.startedAt === null ? 0 : (Date.now() - Date.parse(run.startedAt)) / 60_000;
  return (
    <Panel
      title={texts.progress}
      className="lg:col-span-3"
      actions={<span className="text-xs text-muted">{texts.live[live.state]}</span>}
    >
      <Progress label={texts.progress} done={done} total={total} />
      <p className="mt-2 text-muted">
        {texts.queued(number(queued))}
        {minutes > 0.05 && done > 0 ? ` · ${texts.rate(number(Math.round(done / minutes)))}` : ''}
        {run.paused ? ` · ${texts.paused}` : ''}
      </p>
    </Panel>
  );
}
