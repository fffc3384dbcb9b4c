import type { Run, StopReason } from './run.ts';

/** What a line of a run's log is about. */
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

/** A line to be written into a run's log. */
export interface LogNote {
  readonly what: LogWhat;
  readonly why: string;
  /** A host, a pattern or a feed it is about: lines about different ones are not alike. */
  readonly subject?: string;
  /** Whether it is told once and never again. */
  readonly once?: boolean;
}

const REQUESTED: Readonly<Record<string, string>> = {
  crawl: 'asked for as a crawl of its own',
  manual: 'started by hand',
  schedule: 'due by its schedule',
  api: 'asked for over the API',
};

/** Why a run waits to be started. */
export function whyQueued(trigger: string, listed: number): string {
  if (trigger === 'recrawl') return `${pages(listed)} asked for again`;
  return REQUESTED[trigger] ?? `asked for: ${trigger}`;
}

const STOPS: Readonly<Record<StopReason, string>> = {
  finished: 'nothing was left to visit',
  page_limit: 'the page limit was reached',
  credit_limit: 'the credits ran out',
  time_limit: 'its time was over',
  cancelled: 'it was cancelled',
  site_down: 'the site gave no answer',
  login_dead: 'its saved login is not signed in any more',
};

/** What a run's owner is told when it stops before it has seen everything; undefined where its last line says enough. */
export function stopNote(
  stop: StopReason,
  { maxPages, timeLimitMinutes }: Pick<Run['scope'], 'maxPages' | 'timeLimitMinutes'>,
): LogNote | undefined {
  switch (stop) {
    case 'page_limit':
      return { what: 'limit', why: `max_pages: ${pages(maxPages)} and no more; what is left in the queue is left out` };
    case 'time_limit':
      return { what: 'limit', why: `time_limit_minutes: it may take ${timeLimitMinutes} minutes` };
    case 'credit_limit':
      return { what: 'credits', why: 'the workspace has no credits left for another page' };
    case 'login_dead':
      return { what: 'login', why: STOPS.login_dead };
    default:
      return undefined;
  }
}

/** What came of a run, in one line. */
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
export const addresses = (count: number): string => `${count} address${count === 1 ? '' : 'es'}`;
