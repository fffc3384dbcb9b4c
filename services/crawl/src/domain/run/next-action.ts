import type { FeedsState, SitemapState, StopReason } from './run.ts';

/** Where a run stands once its conductor has claimed what it may. */
export interface RunState {
  readonly paused: boolean;
  readonly stop: StopReason | undefined;
  readonly isOverdue: boolean;
  readonly queued: number;
  readonly inFlight: number;
  /** Pages the limit leaves. */
  readonly room: number;
  readonly answered: number;
  /** Pages in a row without an answer. */
  readonly silent: number;
  /** Whether the run's own host was given up and has not answered since. */
  readonly isSiteDown: boolean;
  /** Milliseconds for which no page could be paid for; undefined where pages are. */
  readonly outOfCreditsForMs: number | undefined;
  readonly sitemap: SitemapState;
  readonly feeds: FeedsState;
  readonly readsSitemapLast: boolean;
}

export type Action =
  | { readonly do: 'wait' }
  | { readonly do: 'rest' }
  | { readonly do: 'read_sitemap' }
  | { readonly do: 'stop'; readonly stop: StopReason }
  | { readonly do: 'end'; readonly stop: StopReason };

/** Charges reach billing a moment after the pages: until then credits are set aside that are free in truth. */
const OUT_OF_CREDITS_MS = 3_000;

/**
 * What a run's conductor does next. A run stops first, offering nothing more, and ends with its last page in flight. One whose site is
 * down goes on all the same: its other hosts may answer, and the pages of a host that is given up come back at once, each with its row.
 */
export function nextAction(run: RunState): Action {
  const isIdle = run.inFlight === 0;
  if (run.stop !== undefined) return isIdle ? { do: 'end', stop: run.stop } : { do: 'wait' };
  if (run.paused) return isIdle ? { do: 'rest' } : { do: 'wait' };
  if (run.isOverdue) return { do: 'stop', stop: 'time_limit' };
  if (!isIdle) return { do: 'wait' };
  if (run.outOfCreditsForMs !== undefined)
    return run.outOfCreditsForMs >= OUT_OF_CREDITS_MS ? { do: 'stop', stop: 'credit_limit' } : { do: 'wait' };
  const isReading = run.sitemap === 'waiting' || run.feeds === 'waiting';
  const isDown = run.isSiteDown || (run.silent > 0 && run.answered === 0);
  if (run.room === 0 && (run.queued > 0 || isReading)) return { do: 'stop', stop: isDown ? 'site_down' : 'page_limit' };
  if (run.queued > 0) return { do: 'wait' };
  if (isReading) return run.readsSitemapLast && run.feeds !== 'waiting' ? { do: 'read_sitemap' } : { do: 'wait' };
  return { do: 'stop', stop: isDown ? 'site_down' : 'finished' };
}
