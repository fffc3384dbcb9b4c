import { mean } from '../content/scores.ts';
import type { PageScore, PageSet } from './page-sets.ts';
import { totalsOf } from './totals.ts';

export const FOLDS = [0, 1, 2, 3, 4];

/** A figure over five folds by domain, types weighted alike in each fold. */
export interface FoldFigure {
  readonly mean: number;
  readonly worst: number;
  readonly folds: readonly number[];
}

const typesOf = (scores: readonly PageScore[]): string[] => [...new Set(scores.map(({ group }) => group))].sort();

/** Pages of one type, or of all types where `type` is empty, by fold. */
function foldsOf(set: PageSet, scores: readonly PageScore[], isStructure: boolean): number[] {
  return FOLDS.flatMap((fold) => {
    const own = scores.filter((score) => score.fold === fold);
    if (own.length === 0) return [];
    const figure = (part: readonly PageScore[]): number => {
      const { f1, structure } = totalsOf(set, part, []);
      return isStructure ? (structure ?? 0) : f1;
    };
    return [mean(typesOf(own).map((type) => figure(own.filter(({ group }) => group === type))))];
  });
}

export function foldFigure(set: PageSet, scores: readonly PageScore[], isStructure = false): FoldFigure {
  const folds = foldsOf(set, scores, isStructure);
  return { mean: mean(folds), worst: Math.min(...folds), folds };
}

/** Figures by name, in the order they are printed: the set, its structure, its types, its later pages. */
export function foldFigures(set: PageSet, scores: readonly PageScore[]): Map<string, FoldFigure> {
  const figures = new Map([[set.name, foldFigure(set, scores)]]);
  if (set.total === 'structure') figures.set(`${set.name} structure`, foldFigure(set, scores, true));
  const types = typesOf(scores);
  if (types.length > 1)
    for (const type of types)
      figures.set(
        `${set.name} ${type}`,
        foldFigure(
          set,
          scores.filter(({ group }) => group === type),
        ),
      );
  const later = scores.filter(({ isFirst }) => !isFirst);
  if (later.length > 0) figures.set(`${set.name}, later pages`, foldFigure(set, later));
  return figures;
}
