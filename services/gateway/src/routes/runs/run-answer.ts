import { RUN_TRIGGERS, type RunDetail, type RunEnvelope, type RunSummary } from '@tidemark/api';
import type { EngineShare } from '@tidemark/contracts/archive/v1/archive';
import type { LogLine, Run } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import { runFacts } from '../crawl/run-envelope.ts';
import { timeOf } from '../scrape/job-envelope.ts';

function projectFacts(run: Run) {
  const trigger = RUN_TRIGGERS.find((known) => known === run.trigger);
  if (trigger === undefined) throw new AppError('internal', `a run has the unknown trigger ${run.trigger}`);
  return { ...runFacts(run), kind: 'run', projectId: run.projectId, trigger };
}

/** A run in its project's history. */
export const toRunSummary = (run: Run): RunSummary => ({ ...projectFacts(run), url: run.seed });

/** Where the pages of a run are read. */
export const pagesUrl = (baseUrl: string, { projectId, id }: Run): string =>
  `${baseUrl}/projects/${projectId}/pages?run_id=${id}`;

/** One run of a project, its pages left where they are. */
export const toRunEnvelope = (run: Run, baseUrl: string, requestId: string): RunEnvelope => ({
  ...projectFacts(run),
  data: [],
  next: pagesUrl(baseUrl, run),
  cursor: '0',
  request_id: requestId,
});

interface Told {
  readonly run: Run;
  readonly log: readonly LogLine[];
  /** null: not known at the moment. */
  readonly engines: readonly EngineShare[] | null;
}

/** The same with what read its pages and what happened. */
export const toRunDetail = ({ run, log, engines }: Told, baseUrl: string, requestId: string): RunDetail => ({
  ...toRunEnvelope(run, baseUrl, requestId),
  engines:
    engines?.map(({ method, pages, credits, medianMs }) => ({ method: method || null, pages, credits, medianMs })) ??
    null,
  log: log.map(({ at, what, why }) => ({ at: timeOf(at), what, why })),
});
