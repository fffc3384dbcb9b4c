import { z } from 'zod';
import { JobEnvelope } from '../schemas/job.ts';
import { ERROR_CODES, VERDICTS } from '../schemas/page.ts';
import { event } from './event.ts';

/** A job envelope without pages. */
const JobState = JobEnvelope.omit({ data: true, cursor: true, request_id: true, webhookSecret: true })
  .extend({ next: z.string().describe('Path of the job with its pages') })
  .meta({ id: 'JobEventData' });

const CrawlPages = z
  .object({
    pages: z
      .array(
        z.object({
          number: z.int().describe('Position among the completed pages, from 1'),
          url: z.string(),
          httpStatus: z.int().nullable().describe('null if no response arrived'),
          verdict: z.enum(VERDICTS),
          errorCode: z.enum(ERROR_CODES),
          credits: z.int(),
          depth: z.int(),
          foundVia: z.string(),
        }),
      )
      .max(50),
    next: z.string().describe('Path of these pages with their content'),
  })
  .meta({ id: 'CrawlPageData' });

const RUN = 'run_01kf2q7m5de4g8rj0w3x9y1zab';
const JOB = 'job_01kf2q7m5de4g8rj0w3x9y1zab';
const times = { createdAt: '2026-05-04T06:10:02.100Z', finishedAt: '2026-05-04T06:12:41.208Z' };
const none = { stop: null, error: null };
const crawl: z.output<typeof JobState> = {
  ...{ id: RUN, kind: 'crawl', status: 'done', progress: { done: 63, total: 63, queued: 0 }, creditsUsed: 61 },
  ...{ counts: { ok: 60, thin: 1, robots: 2 }, next: `/v1/crawl/${RUN}`, ...times, ...none, stop: 'finished' },
};
const batch: z.output<typeof JobState> = {
  ...{ id: JOB, kind: 'batch', status: 'done', progress: { done: 40, total: 40, queued: 0 }, creditsUsed: 40 },
  ...{ counts: { ok: 39, blocked: 1 }, next: `/v1/scrape/${JOB}`, ...times, ...none },
};

/** Events of a crawl's webhook. */
export const CRAWL_EVENT_KINDS = {
  'crawl.started': event({
    description: 'The crawl started.',
    data: JobState,
    example: {
      ...crawl,
      status: 'running',
      progress: { done: 0, total: 1, queued: 1 },
      creditsUsed: 0,
      counts: {},
      stop: null,
      finishedAt: null,
    },
  }),
  'crawl.page': event({
    description: 'Pages are complete: one message per 50 pages, or after five seconds. `next` returns their bodies.',
    data: CrawlPages,
    example: {
      pages: [
        {
          ...{ number: 1, url: 'https://example.com/', httpStatus: 200, verdict: 'ok', errorCode: 'OK' },
          ...{ credits: 1, depth: 0, foundVia: 'seed' },
        },
      ],
      next: `/v1/crawl/${RUN}?limit=1`,
    },
  }),
  'crawl.completed': event({
    description: 'The crawl is done. All its pages were sent before.',
    data: JobState,
    example: crawl,
  }),
  'crawl.failed': event({
    description: 'The crawl ended with an error or was cancelled; see `status`. Its pages stay available.',
    data: JobState,
    example: { ...crawl, status: 'error', stop: null, error: 'the site could not be reached' },
  }),
} as const;

/** Events of a batch's webhook. */
export const BATCH_EVENT_KINDS = {
  'batch.finished': event({
    description: 'The batch ended: its last page is complete, or it was cancelled or failed.',
    data: JobState,
    example: batch,
  }),
  'scrape.completed': event({
    description: 'A batch is done; sent in addition to batch.finished.',
    data: JobState,
    example: batch,
  }),
  'scrape.failed': event({
    description: 'A batch failed or was cancelled; sent in addition to batch.finished.',
    data: JobState,
    example: { ...batch, status: 'cancelled' },
  }),
} as const;
