import { RECORD_STATUSES, type RunDetail, type RunEnvelope, type RunSummary } from '@tidemark/api';
import type { EngineShare } from '@tidemark/contracts/archive/v1/archive';
import type { LogLine, Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { RecordCounts } from '@tidemark/contracts/diff/v1/diff';
import { AppError } from '@tidemark/errors';
import { RUN_TRIGGERS } from '@tidemark/results';
import type { CallContext } from '@tidemark/service';
import { projectIdOf } from '../queries/run-project.ts';
import { ListCursors } from '../requests/list-cursors.ts';
import { timeOf } from './job-envelope.ts';
import { oneOf } from './one-of.ts';
import { toCounts } from './record-counts.ts';
import { runFields } from './run-envelope.ts';
import { toRunCoverage } from './site-estimate.ts';

function projectRunFields(run: Run) {
  const trigger = RUN_TRIGGERS.find((known) => known === run.trigger);
  if (trigger === undefined) throw new AppError('internal', `a run has the unknown trigger ${run.trigger}`);
  return { ...runFields(run), kind: 'run', projectId: projectIdOf(run), trigger };
}

/** Converts a run to an entry of the run history. */
export const toRunSummary = (run: Run, record?: RecordCounts): RunSummary => ({
  ...projectRunFields(run),
  url: run.seed,
  changes:
    record === undefined
      ? null
      : { status: oneOf(RECORD_STATUSES, record.status), counts: toCounts(record.status, record.counts) },
});

/** Returns the URL of the pages of a run. */
export const pagesUrl = (baseUrl: string, run: Run): string =>
  `${baseUrl}/projects/${projectIdOf(run)}/pages?run_id=${run.id}`;

/** Converts a run of a project to its envelope, without pages. */
export const toRunEnvelope = (run: Run, baseUrl: string, call: CallContext): RunEnvelope => ({
  ...projectRunFields(run),
  data: [],
  next: pagesUrl(baseUrl, run),
  cursor: new ListCursors({
    workspaceId: call.caller?.workspaceId ?? '',
    path: `/projects/${projectIdOf(run)}/pages`,
  }).seal(0),
  request_id: call.requestId,
});

interface RunDetails {
  readonly run: Run;
  readonly log: readonly LogLine[];
  /** null while the archive is unavailable. */
  readonly engines: readonly EngineShare[] | null;
}

/** Converts a run of a project to its envelope with engine breakdown and log. */
export const toRunDetail = ({ run, log, engines }: RunDetails, baseUrl: string, call: CallContext): RunDetail => ({
  ...toRunEnvelope(run, baseUrl, call),
  engines:
    engines?.map(({ method, pages, credits, medianMs }) => ({ method: method || null, pages, credits, medianMs })) ??
    null,
  coverage: toRunCoverage(run.coverage),
  log: log.map(({ at, what, why }) => ({ at: timeOf(at), what, why })),
});
