import { f1Of, mean, percentile } from '../content/scores.ts';
import type { PageScore, PageSet } from './page-sets.ts';

/** Totals of one tool on one set. */
export interface SetTotals {
  readonly f1: number;
  readonly precision: number;
  readonly recall: number;
  readonly p10: number;
  readonly structure: number | undefined;
  /** F1 of the markdown's prose on the same pages. */
  readonly markdown: number;
  readonly groups: ReadonlyMap<string, number>;
  readonly kept: number | undefined;
  readonly leaked: number | undefined;
}

export function totalsOf(
  set: PageSet,
  scores: readonly PageScore[],
  entries: readonly { unwanted: number }[],
): SetTotals {
  const [precision, recall] = [mean(scores.map((s) => s.precision)), mean(scores.map((s) => s.recall))];
  const sum = (pick: (score: PageScore) => number | undefined): number =>
    scores.reduce((total, score) => total + (pick(score) ?? 0), 0);
  const [hits, misses, leaks] = [sum((s) => s.hits), sum((s) => s.misses), sum((s) => s.leaks)];
  const known = hits + misses > 0;
  const unwanted = entries.reduce((total, entry) => total + entry.unwanted, 0);
  const ofSums = { precision: hits / (hits + leaks || 1), recall: hits / (hits + misses || 1) };
  const shown = set.total === 'sums' ? ofSums : { precision, recall };
  const meanF1 = mean(scores.map((s) => s.f1));
  return {
    ...shown,
    f1: set.total === 'ratio' || set.total === 'sums' ? f1Of(shown.precision, shown.recall) : meanF1,
    p10: percentile(
      scores.map((s) => s.f1),
      0.1,
    ),
    structure: set.total === 'structure' ? mean(scores.map((s) => s.structureF1 ?? 0)) : undefined,
    markdown: mean(scores.map((s) => s.markdownF1)) - meanF1,
    groups: groupsOf(scores),
    kept: known ? ofSums.recall : undefined,
    leaked: known ? leaks / (unwanted || 1) : undefined,
  };
}

function groupsOf(scores: readonly PageScore[]): Map<string, number> {
  const names = [...new Set(scores.map((s) => s.group))].sort();
  if (names.length < 2) return new Map();
  return new Map(names.map((name) => [name, mean(scores.filter((s) => s.group === name).map((s) => s.f1))]));
}

/** Returns the share of correct values among the pages for which the set has one. */
export function shareOf(scores: readonly PageScore[], field: 'title' | 'date' | 'author'): number {
  return mean(scores.flatMap((score) => (score[field] === undefined ? [] : [Number(score[field])])));
}
