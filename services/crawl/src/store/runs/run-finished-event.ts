import { events } from '@tidemark/contracts';
import type { JobStatus, RunTrigger } from '@tidemark/contracts/job/v1/job';
import { type OutgoingEvent, outgoingEvent } from '@tidemark/service';
import { column, nullable, type RowOf, sql, stateOf } from '@tidemark/sql';
import { toStop, Verdicts } from './run-record.ts';

/** Columns of a run that its finished event needs. */
export const ENDED_COLUMNS = {
  no: column('int8'),
  id: column('text'),
  workspace_id: column('text'),
  project_id: nullable('text'),
  trigger: stateOf<RunTrigger>(),
  status: stateOf<JobStatus>(),
  stop: nullable('text'),
  error: nullable('text'),
  has_coverage: column('bool'),
  finished_at: nullable('timestamptz'),
  done: column('int4'),
  verdicts: column('jsonb'),
  credits: column('int4'),
  sitemap: column('text'),
  destination_id: nullable('text'),
};
/** The same columns, for `RETURNING`. */
export const RETURN_ENDED = sql`no, id, workspace_id, project_id, trigger, status, stop, error, has_coverage, finished_at, done, verdicts, credits, sitemap, destination_id`;

export type EndedRow = RowOf<typeof ENDED_COLUMNS>;

/** Returns the events that a project's run has ended, and that a crawl with a destination is done. */
export const toFinished = (row: EndedRow): OutgoingEvent[] => [...runFinished(row), ...crawlEnded(row)];

function crawlEnded({
  id,
  workspace_id: workspaceId,
  destination_id: destinationId,
  ...row
}: EndedRow): OutgoingEvent[] {
  if (destinationId === null || row.status !== 'done') return [];
  const ended = { runId: id, workspaceId, destinationId, at: row.finished_at ?? undefined };
  return [outgoingEvent(events.crawlEnded, `crawl-ended:${id}`, ended)];
}

function runFinished(row: EndedRow): OutgoingEvent[] {
  if (row.project_id === null) return [];
  return [
    outgoingEvent(events.runFinished, `finished:${row.id}`, {
      runId: row.id,
      workspaceId: row.workspace_id,
      projectId: row.project_id,
      trigger: row.trigger,
      status: row.status,
      stop: toStop(row.stop),
      error: row.error ?? undefined,
      hasCoverage: row.has_coverage,
      finishedAt: row.finished_at ?? undefined,
      pages: row.done,
      counts: Verdicts.parse(row.verdicts),
      creditsUsed: row.credits,
    }),
  ];
}
