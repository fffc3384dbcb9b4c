import { events } from '@tidemark/contracts';
import type { JobStatus, RunTrigger } from '@tidemark/contracts/job/v1/job';
import { type OutgoingEvent, outgoingEvent } from '@tidemark/service';
import { toStop, Verdicts } from './run-record.ts';

/** Columns of a run that its finished event needs. */
export const ENDED_COLUMNS =
  'no, id, workspace_id, project_id, trigger, status, stop, error, has_coverage, finished_at, done, verdicts, credits, sitemap, destination_id';

export interface EndedRow {
  readonly no: string;
  readonly error: string | null;
  readonly id: string;
  readonly workspace_id: string;
  readonly project_id: string | null;
  readonly trigger: RunTrigger;
  readonly status: JobStatus;
  readonly stop: string | null;
  readonly has_coverage: boolean;
  readonly finished_at: Date | null;
  readonly done: number;
  readonly verdicts: unknown;
  readonly credits: number;
  readonly sitemap: string;
  readonly destination_id: string | null;
}

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
