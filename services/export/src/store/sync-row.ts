import { column, nullable, nullableJsonOf, type RowOf, stateOf } from '@tidemark/sql';
import type { SourceKind, Sync, SyncFailure, SyncStatus, SyncTrigger } from '../domain/sync.ts';

/** The columns of `syncs` that make a sync. */
export const SYNC_COLUMNS = {
  id: column('text'),
  workspace_id: column('text'),
  destination_id: column('text'),
  project_id: column('text'),
  source_kind: stateOf<SourceKind>(),
  source_id: column('text'),
  dataset: column('text'),
  mode: column('text'),
  trigger: stateOf<SyncTrigger>(),
  run_at: column('timestamptz'),
  is_full_run: column('bool'),
  pages: column('int4'),
  status: stateOf<SyncStatus>(),
  lease_until: column('timestamptz'),
  /** Attempts in a row that were interrupted. */
  claims: column('int4'),
  attempts: column('int4'),
  read: column('int4'),
  written: column('int4'),
  unchanged: column('int4'),
  deleted: column('int4'),
  skipped: column('int4'),
  bytes: column('int8'),
  location: column('text'),
  warnings: nullable('text[]'),
  error: nullableJsonOf<SyncFailure>(),
  request_id: column('text'),
  created_at: column('timestamptz'),
  started_at: nullable('timestamptz'),
  ended_at: nullable('timestamptz'),
};

/** A row of `syncs`. */
export type SyncRecord = Readonly<RowOf<typeof SYNC_COLUMNS>>;

export function toSync(row: SyncRecord): Sync {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    destinationId: row.destination_id,
    projectId: row.project_id,
    sourceKind: row.source_kind,
    sourceId: row.source_id,
    runAt: row.run_at,
    isFullRun: row.is_full_run,
    pages: row.pages,
    dataset: row.dataset,
    mode: row.mode,
    trigger: row.trigger,
    status: row.status,
    interruptions: row.claims,
    attempts: row.attempts,
    read: row.read,
    written: row.written,
    unchanged: row.unchanged,
    deleted: row.deleted,
    skipped: row.skipped,
    bytes: Number(row.bytes),
    location: row.location,
    warnings: row.warnings ?? [],
    failure: row.error ?? undefined,
    requestId: row.request_id,
    dueAt: row.lease_until,
    createdAt: row.created_at,
    startedAt: row.started_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
  };
}
