import type { Run } from '../domain/run/run.ts';
import type { EarlierPage } from '../domain/scope/predict-visits.ts';
import { EventLoopTurns } from '../event-loop/event-loop-turns.ts';
import type { KnownStore } from '../store/ended-runs/known-store.ts';

/** URLs evaluated per request. */
export const MAX_URLS = 200_000;
/** Time limit of one walk over known URLs, ms. */
const MAX_WALK_MS = 15_000;

/** Visits the URLs of a run within the given bounds. @returns whether some were left out */
export async function walkKnown(
  known: Pick<KnownStore, 'batches'>,
  run: Run,
  visit: (page: EarlierPage) => void,
  bounds: { readonly urls: number; readonly ms: number } = { urls: MAX_URLS, ms: MAX_WALK_MS },
): Promise<boolean> {
  const until = performance.now() + bounds.ms;
  let left = bounds.urls;
  for await (const piece of known.batches(run.no)) {
    if (left === 0 || performance.now() > until) return true;
    const batch = piece.slice(0, left);
    const turns = new EventLoopTurns();
    for (const page of batch) {
      visit(page);
      if (!turns.isOver) continue;
      if (performance.now() > until) return true;
      await turns.next();
    }
    left -= batch.length;
    if (batch.length < piece.length) return true;
  }
  return false;
}

/** Credits of a page by its capture options: with the cheapest engine that they allow, and with the most expensive one. */
export interface PagePrice {
  /** Infinity where the options allow no engine. */
  readonly minCredits: number;
  readonly maxCredits: number;
}

/**
 * Estimates the credits of a number of pages from the average of a run, within the price that the capture options allow: a screenshot requires a
 * browser for every page, whatever the run before cost. Without a run, the lowest price.
 */
export function estimateCredits(
  pages: number,
  run: Pick<Run, 'credits' | 'done'> | undefined,
  { minCredits, maxCredits }: PagePrice,
): number {
  const least = Number.isFinite(minCredits) ? minCredits : 0;
  const average = run === undefined || run.done === 0 ? least : run.credits / run.done;
  return Math.ceil(pages * Math.max(Math.min(average, maxCredits), Math.min(least, maxCredits)));
}
