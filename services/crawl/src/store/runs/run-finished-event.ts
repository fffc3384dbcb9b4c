import { events } from '@tidemark/contracts';
import { type OutgoingEvent, outgoingEvent } from '@tidemark/service';
import { Verdicts } from './run-record.ts';

/** What must be known of a run to tell that it has ended. */
export const ENDED_COLUMNS =
  'no, id, workspace_id, project_id, trigger, status, stop, error, finished_at, done, verdicts, credits, sitemap';

export interface EndedRow {
  readonly no: string;
  readonly error: string | null;
  readonly id: string;
  readonly workspace_id: string;
  readonly project_id: string | null;
  readonly trigger: string;
  readonly status: string;
  readonly stop: string | null;
  readonly finished_at: Date | null;
  readonly done: number;
  readonly verdicts: unknown;
  readonly credits: number;
  readonly sitemap: string;
}

/** That a run of a project has ended, as a fact; a run without one concerns nobody. */
export function toFinished(row: EndedRow): OutgoingEvent[] {
  if (row.project_id === null) return [];
  return [
    outgoingEvent(events.runFinished, `finished:${row.id}`, {
      runId: row.id,
      workspaceId: row.workspace_id,
      projectId: row.project_id,
      trigger: row.trigger,
      status: row.status,
      stop: row.status === 'error' ? '' : (row.stop ?? ''),
      finishedAt: row.finished_at ?? undefined,
      pages: row.done,
      counts: Verdicts.parse(row.verdicts),
      creditsUsed: row.credits,
    }),
  ];
}
