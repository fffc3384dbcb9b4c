import type { StopReason } from '@tidemark/contracts/stop-reasons';
import type { FeedsState, SitemapState } from './run.ts';

/** The state of a run after its orchestrator has claimed the next batch. */
export interface RunState {
  readonly paused: boolean;
  /** Pages withdrawn by the last pause are still to be queued again. */
  readonly isReturning: boolean;
  readonly stop: StopReason | undefined;
  readonly isOverdue: boolean;
  readonly queued: number;
  readonly inFlight: number;
  /** Pages left until the page limit. */
  readonly room: number;
  readonly answered: number;
  /** Consecutive pages without a response. */
  readonly silent: number;
  /** Whether the site's host was given up and has not responded since. */
  readonly isSiteDown: boolean;
  /** Milliseconds since credits ran out; undefined while pages can be paid for. */
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

/** Wait, ms, before a run stops for lack of credits: charges reach billing late, and until then unused credits stay leased. */
const OUT_OF_CREDITS_MS = 3_000;

/**
 * Returns the next action of a run's orchestrator. A run first stops, which ends offers, and ends with its last page in flight. A run whose site
 * is down continues: its other hosts may respond, and workers return the pages of a given-up host at once, each with a result.
 */
export function nextAction(run: RunState): Action {
  const isIdle = run.inFlight === 0;
  if (run.stop !== undefined) return isIdle ? { do: 'end', stop: run.stop } : { do: 'wait' };
  if (run.paused) return isIdle ? { do: 'rest' } : { do: 'wait' };
  if (run.isReturning) return { do: 'wait' };
  if (run.isOverdue) return { do: 'stop', stop: 'time_limit' };
  if (!isIdle) return { do: 'wait' };
  if (run.outOfCreditsForMs !== undefined)
    return run.outOfCreditsForMs >= OUT_OF_CREDITS_MS ? { do: 'stop', stop: 'credit_limit' } : { do: 'wait' };
  return nextActionWhenIdle(run);
}

/** Returns the next action of a run without a page in flight, whose pages can be paid for. */
function nextActionWhenIdle(run: RunState): Action {
  const isReading = run.sitemap === 'waiting' || run.feeds === 'waiting';
  const isDown = run.isSiteDown || (run.silent > 0 && run.answered === 0);
  if (run.room === 0 && (run.queued > 0 || isReading)) return { do: 'stop', stop: isDown ? 'site_down' : 'page_limit' };
  if (run.queued > 0) return { do: 'wait' };
  if (isReading) return run.readsSitemapLast && run.feeds !== 'waiting' ? { do: 'read_sitemap' } : { do: 'wait' };
  return { do: 'stop', stop: isDown ? 'site_down' : 'finished' };
}
