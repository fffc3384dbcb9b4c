import { z } from 'zod';
import type { Sync } from '../domain/sync.ts';

const Failure = z.object({
  code: z.enum(['temporary', 'refused', 'invalid', 'not_found', 'internal']),
  message: z.string(),
  hint: z.string(),
});
const SourceKind = z.enum(['run', 'crawl', 'batch', 'scrape']);
const Trigger = z.enum(['automatic', 'manual', 'resume', 'request']);
const Status = z.enum(['queued', 'running', 'done', 'error', 'cancelled', 'skipped']);

/** A row of `syncs`. */
export interface SyncRecord {
  readonly id: string;
  readonly workspace_id: string;
  readonly destination_id: string;
  readonly project_id: string;
  readonly source_kind: string;
  readonly source_id: string;
  readonly dataset: string;
  readonly mode: string;
  readonly trigger: string;
  readonly run_at: Date;
  readonly is_full_run: boolean;
  readonly pages: number;
  readonly status: string;
  readonly lease_until: Date;
  /** Attempts in a row that were interrupted. */
  readonly claims: number;
  readonly attempts: number;
  readonly read: number;
  readonly written: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly skipped: number;
  readonly bytes: string;
  readonly location: string;
  readonly warnings: string[];
  readonly error: unknown;
  readonly request_id: string;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly ended_at: Date | null;
}

/** @throws ZodError for an invalid row */
export function toSync(row: SyncRecord): Sync {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    destinationId: row.destination_id,
    projectId: row.project_id,
    sourceKind: SourceKind.parse(row.source_kind),
    sourceId: row.source_id,
    runAt: row.run_at,
    isFullRun: row.is_full_run,
    pages: row.pages,
    dataset: row.dataset,
    mode: row.mode,
    trigger: Trigger.parse(row.trigger),
    status: Status.parse(row.status),
    interruptions: row.claims,
    attempts: row.attempts,
    read: row.read,
    written: row.written,
    unchanged: row.unchanged,
    deleted: row.deleted,
    skipped: row.skipped,
    bytes: Number(row.bytes),
    location: row.location,
    warnings: row.warnings,
    failure: row.error === null ? undefined : Failure.parse(row.error),
    requestId: row.request_id,
    dueAt: row.lease_until,
    createdAt: row.created_at,
    startedAt: row.started_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
  };
}
