import type { Sync as WireSync } from '@tidemark/contracts/export/v1/destinations';
import type { Sync } from '../domain/sync.ts';

export const toWireSync = (sync: Sync): WireSync => ({
  id: sync.id,
  destinationId: sync.destinationId,
  projectId: sync.projectId,

  sourceKind: sync.sourceKind,
  sourceId: sync.sourceId,
  dataset: sync.dataset,
  mode: sync.mode,

  trigger: sync.trigger,
  status: sync.status,
  read: sync.read,
  written: sync.written,

  unchanged: sync.unchanged,
  deleted: sync.deleted,
  skipped: sync.skipped,
  bytes: sync.bytes,

  location: sync.location,
  warnings: [...sync.warnings],
  error: sync.failure,
  attempts: sync.attempts,
  nextAttemptAt: sync.status === 'queued' && sync.failure !== undefined ? sync.dueAt : undefined,

  createdAt: sync.createdAt,
  startedAt: sync.startedAt,
  endedAt: sync.endedAt,
});
