import { JobState } from '@tidemark/results';
import { z } from 'zod';
import { DestinationSync } from './destination.ts';
import { PageRow } from './page.ts';

const InvalidUrl = z
  .object({
    input: z.int().describe('Position in `urls`, from 0'),
    url: z.string().describe('As given'),
    error: z.string(),
  })
  .meta({ id: 'InvalidUrl' });

/** The envelope that every asynchronous operation returns. */
export const JobEnvelope = JobState.extend({
  data: z.array(PageRow),
  next: z.string().nullable(),
  cursor: z.string().nullable(),
  request_id: z.string(),
  destinationSync: DestinationSync.optional().describe(
    'Where a destination was named: whether the pages are written to it',
  ),
  invalid: z.array(InvalidUrl).optional().describe('Of a batch with `ignoreInvalid`: the inputs that are set aside'),
  webhookSecret: z
    .string()
    .optional()
    .describe(
      'Signing secret of the job’s webhook; returned only by the request that created the job, and again if it is repeated with its Idempotency-Key',
    ),
}).meta({ id: 'JobEnvelope' });
export type JobEnvelope = z.output<typeof JobEnvelope>;

export const JobSummary = JobState.extend({ url: z.string() }).meta({ id: 'JobSummary' });
export type JobSummary = z.output<typeof JobSummary>;
