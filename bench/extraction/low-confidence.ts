import { mean } from '../content/scores.ts';
import { show } from '../shared/table.ts';
import type { PageScore } from './page-sets.ts';

/** Minimum difference between the mean F1 of pages without and with the warning `low_confidence`. */
const MIN_GAP = 0.15;

/** Prints the mean F1 of the pages with and without the warning `low_confidence`, over all sets. */
export function printLowConfidence(scores: readonly PageScore[]): void {
  const f1Of = (isDoubted: boolean): number[] =>
    scores.filter((score) => (score.isDoubted ?? false) === isDoubted).map(({ f1 }) => f1);
  const [doubted, others] = [f1Of(true), f1Of(false)];
  if (doubted.length === 0) return;
  const gap = mean(others) - mean(doubted);
  console.log(
    `low_confidence: ${doubted.length} pages of mean F1 ${show(mean(doubted))}, ${others.length} others of ${show(mean(others))}; ` +
      `difference ${show(gap)}, goal ${show(MIN_GAP)} ${gap >= MIN_GAP ? 'met' : 'MISSED'}\n`,
  );
}
