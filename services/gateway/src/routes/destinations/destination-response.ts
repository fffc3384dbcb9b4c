import {
  DESTINATION_STATUSES,
  type Destination,
  SHAPE_TYPES,
  SYNC_SOURCES,
  SYNC_TRIGGERS,
  type Sync,
} from '@tidemark/api';
import { textOrEmpty } from '@tidemark/contracts';
import type { Destination as WireDestination, Sync as WireSync } from '@tidemark/contracts/export/v1/destinations';
import { COMPRESSIONS, DESTINATION_DATASETS, DESTINATION_FORMATS, DESTINATION_MODES } from '@tidemark/datasets';
import { AppError } from '@tidemark/errors';
import { SYNC_ERRORS, SYNC_STATUSES } from '@tidemark/results';
import { z } from 'zod';
import { timeOf } from '../../responses/job-envelope.ts';
import { oneOf } from '../../responses/one-of.ts';

const StoredShape = z.object({
  columns: z.array(z.object({ name: z.string(), expr: z.string(), type: z.enum(SHAPE_TYPES) })).default([]),
  where: z.string().nullable().default(null),
});

const optionalTime = (date: Date | undefined): string | null => (date === undefined ? null : timeOf(date));

/** Converts a sync. */
export function toSync(sync: WireSync | undefined): Sync {
  if (sync === undefined) throw new AppError('internal', 'export returned no sync');
  const { error } = sync;
  return {
    id: sync.id,
    destinationId: sync.destinationId,
    projectId: sync.projectId ?? null,
    source: { kind: oneOf(SYNC_SOURCES, sync.sourceKind), id: sync.sourceId },
    dataset: oneOf(DESTINATION_DATASETS, sync.dataset),
    mode: oneOf(DESTINATION_MODES, sync.mode),
    trigger: oneOf(SYNC_TRIGGERS, sync.trigger),
    status: oneOf(SYNC_STATUSES, sync.status),
    rows: {
      read: sync.read,
      written: sync.written,
      unchanged: sync.unchanged,

      deleted: sync.deleted,
      skipped: sync.skipped,
    },

    bytes: sync.bytes,
    location: sync.location ?? null,
    warnings: sync.warnings,
    error: error === undefined ? null : { ...error, code: oneOf(SYNC_ERRORS, error.code) },

    attempts: sync.attempts,
    nextAttemptAt: optionalTime(sync.nextAttemptAt),
    createdAt: timeOf(sync.createdAt),

    startedAt: optionalTime(sync.startedAt),
    finishedAt: optionalTime(sync.endedAt),
  };
}

/** Converts a destination. */
export function toDestination(destination: WireDestination | undefined): Destination {
  if (destination === undefined) throw new AppError('internal', 'export returned no destination');
  const { format, compression, shapeJson, lastSync } = destination;
  return {
    id: destination.id,
    name: destination.name,
    connectionId: destination.connectionId ?? null,

    provider: destination.provider || null,
    projectId: destination.projectId ?? null,
    scope: oneOf(['all', 'projects'] as const, destination.scope),
    projects: destination.projects,
    dataset: oneOf(DESTINATION_DATASETS, destination.dataset),
    mode: oneOf(DESTINATION_MODES, destination.mode),
    table: destination.table ?? null,
    path: destination.table === undefined ? textOrEmpty(destination.path) : null,
    format: format === undefined ? null : oneOf(DESTINATION_FORMATS, format),
    compression: compression === undefined ? null : oneOf(COMPRESSIONS, compression),
    columns: destination.columns,
    shape: shapeJson === undefined ? null : StoredShape.parse(JSON.parse(shapeJson)),
    automatic: destination.automatic,
    freeze: destination.freeze,
    status: oneOf(DESTINATION_STATUSES, destination.status),
    pausedReason: destination.pausedReason ?? null,

    createdAt: timeOf(destination.createdAt),
    updatedAt: timeOf(destination.updatedAt),
    lastSync: lastSync === undefined ? null : toSync(lastSync),
  };
}
