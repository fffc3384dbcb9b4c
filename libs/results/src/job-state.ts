import { z } from 'zod';
import { Time } from './time.ts';

export const JOB_STATUSES = ['queued', 'running', 'done', 'error', 'cancelled'] as const;

const StopReason = z.enum([
  'finished',
  'page_limit',
  'credit_limit',
  'time_limit',
  'cancelled',
  'login_dead',
  'site_down',
  'refused',
  'robots',
]);
export type StopReason = z.output<typeof StopReason>;

/** Meaning of each stop reason; returned by GET /meta. */
export const STOP_REASON_MEANINGS: Readonly<Record<StopReason, string>> = {
  finished: 'nothing was left to visit',
  page_limit: 'the page limit was reached; queued pages were left out',
  credit_limit: 'the credits, or a spend limit of the key or the project, ran out',
  time_limit: 'the time limit was reached',
  cancelled: 'it was cancelled',
  login_dead: 'the saved login was deleted, or a page was not signed in any more',
  site_down:
    'the site did not respond: network and TLS errors, timeouts, status 5xx; with status `done`, it stopped responding after pages were read',
  refused: 'the site refused every page: blocked, captcha, login, too many requests; only with status `error`',
  robots: 'robots.txt disallows every page; only with status `error`',
};

/** Why a job stopped. */
export const Stop = StopReason.nullable().describe(
  'Why it ended; see `stopReasons` of GET /meta. A job that read no page has the status `error` and `site_down`, `refused` or `robots`. null while it runs, and after an internal error',
);

/** The state of a job: a scrape, a batch, a map, a crawl or a run. */
export const JobState = z.object({
  id: z.string(),
  kind: z.string(),
  status: z.enum(JOB_STATUSES),
  progress: z.object({ done: z.int(), total: z.int(), queued: z.int() }),
  creditsUsed: z.int(),
  counts: z
    .record(z.string(), z.int())
    .describe('Pages by verdict; in a batch also `duplicates`: inputs with the row of another input'),
  missingValues: z
    .record(z.string(), z.int())
    .optional()
    .describe('Pages without values of `config.extract`, by `extractError`; absent if there are none'),
  stop: Stop,
  error: z.string().nullable(),
  createdAt: Time,
  finishedAt: Time.nullable(),
});
export type JobState = z.output<typeof JobState>;
