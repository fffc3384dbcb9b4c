import { CaptureOptions as WireOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { z } from 'zod';
import type { Batch } from '../domain/batch.ts';
import { toCaptureOptions } from '../domain/capture-options.ts';
import { JOB_KINDS, type ScrapeJob } from '../domain/job.ts';
import type { JobModel } from '../generated/prisma/models.ts';

const Kind = z.enum(JOB_KINDS);
const Status = z.enum(['queued', 'running', 'done', 'error', 'cancelled']);

/**
 * Maps a row to a job.
 * @throws ZodError if the row is invalid
 */
export function toJob(record: JobModel): ScrapeJob {
  return {
    id: record.id,
    workspaceId: record.workspaceId,
    actorId: record.actorId,
    captureId: record.captureId,
    kind: Kind.parse(record.kind),
    status: Status.parse(record.status),
    url: record.url,
    options: toCaptureOptions(WireOptions.fromJSON(record.options)),
    requestId: record.requestId,
    attempts: record.attempts,
    credits: record.credits,
    pages: record.pages,
    total: record.total,
    duplicates: record.duplicates,
    destinationId: record.destinationId ?? undefined,
    error: record.error ?? undefined,
    createdAt: record.createdAt,
    finishedAt: record.finishedAt ?? undefined,
  };
}

/**
 * Maps a row to a batch.
 * @throws ZodError if the row is invalid
 */
export function toBatch(record: JobModel): Batch {
  return {
    id: record.id,
    workspaceId: record.workspaceId,
    actorId: record.actorId,
    options: toCaptureOptions(WireOptions.fromJSON(record.options)),
    requestId: record.requestId,
    concurrency: record.concurrency,
    delayMs: record.delayMs,
    sealedUrl: record.webhookUrl ?? undefined,
    sealedSecret: record.webhookSecret ?? undefined,
    webhookEvents: record.webhookEvents,
    webhookMetadataJson: record.webhookMetadata || undefined,
    destinationId: record.destinationId ?? undefined,
    createdAt: record.createdAt,
  };
}

/** Returns the trace context of the job's request. */
export function traceOf(record: JobModel): Record<string, string> {
  if (typeof record.trace !== 'object' || record.trace === null || Array.isArray(record.trace)) return {};
  return Object.fromEntries(
    Object.entries(record.trace).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}
