import { type FittedModel, fitLogLinear, type SourcePair } from './log-linear.ts';

/** Why there is no estimate of a set of pages. */
export type NoEstimate = 'too_few' | 'one_source' | 'no_overlap' | 'sources_identical';

/** Pages that no source lists, of one homogeneous set of pages. */
export interface UnseenPages {
  readonly unseen: number;
  /** Variance of the number of unseen pages. */
  readonly variance: number;
  /** Log-likelihood and parameters of its best model. */
  readonly logLikelihood: number;
  readonly parameters: number;
  readonly why: NoEstimate | undefined;
}

/** Pages that two sources list: fewer say nothing about the pages that both miss. */
const MIN_OVERLAP = 4;
/** Models with a wider interval of the unseen pages are left out: standard error of their logarithm. */
const MAX_LOG_ERROR = 1.5;
/** Steps that do not improve the model before the selection ends; their models count in the average. */
const MAX_WORSE = 1;

const bitsOf = (history: number): number => [...history.toString(2)].filter((bit) => bit === '1').length;

/** Returns the counts over the sources that list any page of the set. */
function compact(counts: readonly number[], sources: number): { counts: number[]; sources: number } {
  const used = Array.from({ length: sources }, (_, source) => source).filter((source) =>
    counts.some((count, history) => count > 0 && ((history >> source) & 1) === 1),
  );
  const kept = new Array<number>(2 ** used.length).fill(0);
  for (const [history, count] of counts.entries()) {
    const to = used.reduce((bits, source, at) => bits | (((history >> source) & 1) << at), 0);
    kept[to] = (kept[to] ?? 0) + count;
  }
  return { counts: kept, sources: used.length };
}

/** Log-likelihood of the observed shares themselves, for sets that no model describes. */
function saturated(counts: readonly number[], why: NoEstimate): UnseenPages {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const filled = counts.filter((count) => count > 0);
  const logLikelihood = filled.reduce((sum, count) => sum + count * Math.log(count / total), 0);
  return { unseen: 0, variance: 0, logLikelihood, parameters: Math.max(0, filled.length - 1), why };
}

const informationOf = ({ logLikelihood, parameters }: FittedModel): number => 2 * parameters - 2 * logLikelihood;

const isUsable = ({ unseen, logVariance }: FittedModel, pages: number): boolean =>
  Math.sqrt(logVariance) <= MAX_LOG_ERROR && unseen <= 20 * pages;

const pairsOf = (sources: number): SourcePair[] =>
  Array.from({ length: sources }, (_, a) => a).flatMap((a) =>
    Array.from({ length: sources - a - 1 }, (_, at): SourcePair => [a, a + 1 + at]),
  );

/**
 * Returns the models of a table: independent sources, then with one more dependent pair at a time, the one that describes the table best
 * (forward selection by AIC). Two sources have one model: their dependence can not be seen.
 */
function modelsOf(counts: readonly number[], sources: number, pages: number): FittedModel[] {
  const independent = fitLogLinear(counts, sources, []);
  if (independent === undefined) return [];
  const models = [independent];
  let chosen: readonly SourcePair[] = [];
  let information = informationOf(independent);
  let rest = sources === 2 ? [] : pairsOf(sources);
  for (let worse = 0; rest.length > 0 && worse <= MAX_WORSE; ) {
    const tried = rest.flatMap((pair) => {
      const model = fitLogLinear(counts, sources, [...chosen, pair]);
      return model !== undefined && isUsable(model, pages) ? [{ pair, model }] : [];
    });
    models.push(...tried.map(({ model }) => model));
    const [best] = tried.toSorted((a, b) => informationOf(a.model) - informationOf(b.model));
    if (best === undefined) break;
    worse = informationOf(best.model) < information ? 0 : worse + 1;
    information = Math.min(information, informationOf(best.model));
    chosen = [...chosen, best.pair];
    rest = rest.filter((pair) => pair !== best.pair);
  }
  return models;
}

/** Averages models by their Akaike weights; the differences between them add to the variance (Buckland, Burnham and Augustin 1997). */
function averageOf(models: readonly FittedModel[]): UnseenPages | undefined {
  const sorted = models.toSorted((a, b) => informationOf(a) - informationOf(b));
  const [best] = sorted;
  if (best === undefined) return undefined;
  const weights = sorted.map((model) => Math.exp((informationOf(best) - informationOf(model)) / 2));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const mean = (value: (model: FittedModel) => number): number =>
    sorted.reduce((total, model, at) => total + ((weights[at] ?? 0) / sum) * value(model), 0);
  const unseen = mean((model) => model.unseen);
  const variance = mean((model) => model.unseen + model.unseen ** 2 * model.logVariance + (model.unseen - unseen) ** 2);
  return { unseen, variance, logLikelihood: best.logLikelihood, parameters: best.parameters, why: undefined };
}

/** Estimates how many pages of a homogeneous set no source lists. @param counts pages by history; index 0 is ignored */
export function estimateUnseen(allCounts: readonly number[], allSources: number): UnseenPages {
  const { counts, sources } = compact(allCounts, allSources);
  if (sources < 2) return saturated(counts, 'one_source');
  const pages = counts.reduce((sum, count) => sum + count, 0);
  const overlap = counts.reduce((sum, count, history) => sum + (bitsOf(history) > 1 ? count : 0), 0);
  if (overlap < MIN_OVERLAP) return saturated(counts, 'no_overlap');
  return averageOf(modelsOf(counts, sources, pages)) ?? saturated(counts, 'no_overlap');
}
