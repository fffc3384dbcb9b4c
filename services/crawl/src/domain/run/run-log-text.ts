import type { StopReason } from '@tidemark/contracts/stop-reasons';
import type { Run } from './run.ts';

/** The kind of a line in a run's log. */
export type LogWhat =
  | 'queued'
  | 'started'
  | 'seeded'
  | 'sitemap'
  | 'feed'
  | 'held'
  | 'given_up'
  | 'trap'
  | 'paused'
  | 'resumed'
  | 'limit'
  | 'credits'
  | 'login'
  | 'cancelled'
  | 'finished'
  | 'failed';

/** A line for a run's log. */
export interface LogNote {
  readonly what: LogWhat;
  readonly why: string;
  /** The host, pattern or feed of the line. Only lines with the same kind and subject are collapsed. */
  readonly subject?: string;
  /** The line is written at most once per run. */
  readonly once?: boolean;
}

const REQUESTED: Readonly<Record<string, string>> = {
  crawl: 'requested as a crawl without a project',
  manual: 'started manually',
  schedule: 'due by schedule',
  api: 'requested over the API',
};

/** Returns why a run was queued. */
export function whyQueued(trigger: string, listed: number): string {
  if (trigger === 'recrawl') return `${pages(listed)} requested again`;
  return REQUESTED[trigger] ?? `requested: ${trigger}`;
}

const STOPS: Readonly<Record<StopReason, string>> = {
  finished: 'nothing was left to visit',
  page_limit: 'the page limit was reached',
  credit_limit: 'the credits, or a spend limit of its key or project, ran out',
  time_limit: 'its time limit was reached',
  cancelled: 'it was cancelled',
  site_down: 'the site did not respond',
  login_dead: 'its saved login is not signed in any more',
  refused: 'the site refused every page',
  robots: 'robots.txt disallows every page',
};

/** Returns the log line of a run that stops early; undefined if the run's last line is sufficient. */
export function stopNote(
  stop: StopReason,
  { maxPages, timeLimitMinutes }: Pick<Run['scope'], 'maxPages' | 'timeLimitMinutes'>,
): LogNote | undefined {
  switch (stop) {
    case 'page_limit':
      return { what: 'limit', why: `max_pages: ${pages(maxPages)} fetched; queued pages are left out` };
    case 'time_limit':
      return { what: 'limit', why: `time_limit_minutes: the limit of ${timeLimitMinutes} minutes is reached` };
    case 'credit_limit':
      return { what: 'credits', why: 'the workspace has no credits left for another page' };
    case 'login_dead':
      return { what: 'login', why: STOPS.login_dead };
    default:
      return undefined;
  }
}

/** Returns the results of a run in one line. */
export function endText(
  done: number,
  verdicts: Readonly<Record<string, number>>,
  stop: StopReason | undefined,
): string {
  const by = Object.entries(verdicts)
    .sort(([, a], [, b]) => b - a)
    .map(([verdict, count]) => `${count} ${verdict}`);
  const counted = by.length === 0 ? pages(done) : `${pages(done)}: ${by.join(', ')}`;
  return stop === undefined ? counted : `${counted}; ${STOPS[stop]}`;
}

export const pages = (count: number): string => `${count} page${count === 1 ? '' : 's'}`;
export const urlCount = (count: number): string => `${count} URL${count === 1 ? '' : 's'}`;
