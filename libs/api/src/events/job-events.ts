import { z } from 'zod';
import { JobEnvelope } from '../schemas/job.ts';
import { ERROR_CODES, VERDICTS } from '../schemas/page.ts';
import { event } from './event.ts';

/** A job without its pages. */
const JobState = JobEnvelope.omit({ data: true, cursor: true, request_id: true, webhookSecret: true })
  .extend({ next: z.string().describe('Path of the job and its pages') })
  .meta({ id: 'JobEventData' });

const CrawlPages = z
  .object({
    pages: z
      .array(
        z.object({
          number: z.int().describe('Its place among the pages that have ended'),
          url: z.string(),
          httpStatus: z.int().nullable().describe('null where no answer arrived'),
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
  ...{ counts: { ok: 60, thin: 1, robots: 2 }, next: `/v1/crawl/${RUN}?cursor=0`, ...times, ...none, stop: 'finished' },
};
const batch: z.output<typeof JobState> = {
  ...{ id: JOB, kind: 'batch', status: 'done', progress: { done: 40, total: 40, queued: 0 }, creditsUsed: 40 },
  ...{ counts: { ok: 39, blocked: 1 }, next: `/v1/scrape/${JOB}?cursor=0`, ...times, ...none },
};

/** What the webhook of a crawl is told. */
export const CRAWL_EVENT_KINDS = {
  'crawl.started': event({
    says: 'The crawl has begun.',
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
    says: 'Pages have ended: sent for every fifty, or after five seconds with those there are. Bodies are read where `next` leads.',
    data: CrawlPages,
    example: {
      pages: [
        {
          ...{ number: 1, url: 'https://example.com/', httpStatus: 200, verdict: 'ok', errorCode: 'OK' },
          ...{ credits: 1, depth: 0, foundVia: 'seed' },
        },
      ],
      next: `/v1/crawl/${RUN}?cursor=0&limit=1`,
    },
  }),
  'crawl.completed': event({
    says: 'The crawl is done, and every page of it was told.',
    data: JobState,
    example: crawl,
  }),
  'crawl.failed': event({
    says: 'The crawl ended otherwise: `status` says whether in an error or called off. Its pages stay.',
    data: JobState,
    example: { ...crawl, status: 'error', stop: null, error: 'the site could not be reached' },
  }),
} as const;

/** What the webhook of a batch is told. */
export const BATCH_EVENT_KINDS = {
  'batch.finished': event({
    says: 'The last page of a batch is in, or the batch has ended without it.',
    data: JobState,
    example: batch,
  }),
  'scrape.completed': event({
    says: 'A batch is done; sent beside batch.finished.',
    data: JobState,
    example: batch,
  }),
  'scrape.failed': event({
    says: 'A batch ended otherwise; sent beside batch.finished.',
    data: JobState,
    example: { ...batch, status: 'cancelled' },
  }),
} as const;
