import { CaptureOptions as WireOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { z } from 'zod';
import { toCaptureOptions } from '../domain/capture-options.ts';
import type { Job } from '../domain/job.ts';
import type { JobModel } from '../generated/prisma/models.ts';

const Status = z.enum(['queued', 'running', 'done', 'error', 'cancelled']);

/** A row of the table as the domain knows it. @throws ZodError where the row is not one of ours */
export function toJob(record: JobModel): Job {
  return {
    id: record.id,
    workspaceId: record.workspaceId,
    captureId: record.captureId,
    status: Status.parse(record.status),
    url: record.url,
    options: toCaptureOptions(WireOptions.fromJSON(record.options)),
    requestId: record.requestId,
    attempts: record.attempts,
    credits: record.credits,
    pages: record.pages,
    error: record.error ?? undefined,
    createdAt: record.createdAt,
    finishedAt: record.finishedAt ?? undefined,
  };
}
