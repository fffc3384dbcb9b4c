import { z } from 'zod';
import type { CaptureOptions, Job } from '../domain/job.ts';
import type { JobModel } from '../generated/prisma/models.ts';

const Options = z.object({
  formats: z.array(z.string()),
  onlyMainContent: z.boolean(),
  renderJs: z.enum(['auto', 'always', 'never']),
  maxTier: z.enum(['http', 'browser']),
  respectRobots: z.boolean(),
  timeoutSeconds: z.number(),
  maxCredits: z.number().optional(),
  minWords: z.number(),
});
const Status = z.enum(['queued', 'running', 'done', 'error', 'cancelled']);

/** A row of the table as the domain knows it. @throws ZodError where the row is not one of ours */
export function toJob(record: JobModel): Job {
  const options: CaptureOptions = { maxCredits: undefined, ...dropUndefined(Options.parse(record.options)) };
  return {
    id: record.id,
    workspaceId: record.workspaceId,
    captureId: record.captureId,
    status: Status.parse(record.status),
    url: record.url,
    options,
    requestId: record.requestId,
    attempts: record.attempts,
    credits: record.credits,
    pages: record.pages,
    error: record.error ?? undefined,
    createdAt: record.createdAt,
    finishedAt: record.finishedAt ?? undefined,
  };
}

function dropUndefined(
  options: z.output<typeof Options>,
): Omit<CaptureOptions, 'maxCredits'> & { maxCredits?: number } {
  const { maxCredits, ...rest } = options;
  return maxCredits === undefined ? rest : { ...rest, maxCredits };
}
