import { ERROR_CODES, JobState, VERDICTS } from '@tidemark/results';
import { z } from 'zod';
import { event } from './event.ts';

/** The state of a job with links to its pages. */
const JobProgress = JobState.extend({
  results: z.url().describe('URL of the job with its pages'),
  next: z.url().nullable().describe('URL of the following pages; null once the job has ended'),
}).meta({ id: 'JobEventData' });

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
    results: z.url().describe('URL of these pages with their content'),
    next: z.url().nullable().describe('URL of the pages after these; null after the last page of the crawl'),
  })
  .meta({ id: 'CrawlPageData' });

const API = 'https://api.example.com/v1';
const RUN = 'run_01kf2q7m5de4g8rj0w3x9y1zab';
const JOB = 'job_01kf2q7m5de4g8rj0w3x9y1zab';
const times = { createdAt: '2026-05-04T06:10:02.100Z', finishedAt: '2026-05-04T06:12:41.208Z' };
const none = { stop: null, error: null };
const crawl: z.output<typeof JobProgress> = {
  id: RUN,
  kind: 'crawl',
  status: 'done',
  progress: { done: 63, total: 63, queued: 0 },
  creditsUsed: 61,
  counts: { ok: 60, thin: 1, robots: 2 },
  results: `${API}/crawl/${RUN}`,
  next: null,
  ...times,
  ...none,
  stop: 'finished',
};
const batch: z.output<typeof JobProgress> = {
  id: JOB,
  kind: 'batch',
  status: 'done',
  progress: { done: 40, total: 40, queued: 0 },
  creditsUsed: 40,
  counts: { ok: 39, blocked: 1 },
  results: `${API}/scrape/${JOB}`,
  next: null,
  ...times,
  ...none,
};

/** Names of the events of a crawl's webhook. */
export const CRAWL_EVENTS = ['crawl.started', 'crawl.page', 'crawl.completed', 'crawl.failed'] as const;

/** Events of a crawl's webhook. */
export const CRAWL_EVENT_KINDS = {
  'crawl.started': event({
    description: 'The crawl started.',
    data: JobProgress,
    example: {
      ...crawl,
      status: 'running',
      progress: { done: 0, total: 1, queued: 1 },
      creditsUsed: 0,
      counts: {},
      next: `${API}/crawl/${RUN}`,
      stop: null,
      finishedAt: null,
    },
  }),
  'crawl.page': event({
    description:
      'Pages are complete: one message per 50 pages, or after five seconds. `results` returns their bodies, `next` the pages after them.',
    data: CrawlPages,
    example: {
      pages: [
        {
          number: 1,
          url: 'https://example.com/',
          httpStatus: 200,
          verdict: 'ok',
          errorCode: 'OK',
          credits: 1,
          depth: 0,
          foundVia: 'seed',
        },
      ],
      results: `${API}/crawl/${RUN}?limit=1`,
      next: `${API}/crawl/${RUN}?limit=25&cursor=hx2Mq9Tz4LkAMQ`,
    },
  }),
  'crawl.completed': event({
    description: 'The crawl is done. All its pages were sent before.',
    data: JobProgress,
    example: crawl,
  }),
  'crawl.failed': event({
    description:
      'The crawl ended with an error, could read no page, or was cancelled; see `status` and `stop`. Its pages stay available.',
    data: JobProgress,
    example: {
      ...crawl,
      status: 'error',
      progress: { done: 1, total: 1, queued: 0 },
      creditsUsed: 0,
      counts: { blocked: 1 },
      stop: 'site_down',
      error: 'no page could be read: the site did not respond for 1 page',
    },
  }),
} as const;

/** Events of a batch's webhook. */
export const BATCH_EVENT_KINDS = {
  'batch.finished': event({
    description:
      'The batch ended: its last page is complete, or it was cancelled or failed. The last message of a batch.',
    data: JobProgress,
    example: batch,
  }),
  'scrape.completed': event({
    description: 'A batch is done. Sent before batch.finished, if `events` of the webhook lists it.',
    data: JobProgress,
    example: batch,
  }),
  'scrape.failed': event({
    description: 'A batch failed or was cancelled. Sent before batch.finished, if `events` of the webhook lists it.',
    data: JobProgress,
    example: { ...batch, status: 'cancelled' },
  }),
} as const;
