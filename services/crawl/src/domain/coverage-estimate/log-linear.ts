/**
 * A fitted log-linear model of a table of capture histories. Cell `h` is the number of pages that exactly the sources of the bit set `h` list;
 * cell 0, the pages that no source lists, is not observed.
 */
export interface FittedModel {
  /** Expected pages in cell 0. */
  readonly unseen: number;
  /** Variance of the logarithm of `unseen`. */
  readonly logVariance: number;
  /** Log-likelihood of the observed cells given their sum. */
  readonly logLikelihood: number;
  /** Parameters, without the one that the sum fixes. */
  readonly parameters: number;
}

/** Two sources that list the same pages more, or less, often than independent ones. */
export type SourcePair = readonly [a: number, b: number];

const MAX_STEPS = 40;
const CONVERGED = 1e-6;
/** Keeps the normal equations regular where a cell is empty. */
const RIDGE = 1e-9;
const MAX_LOG_MEAN = 30;

const has = (history: number, source: number): number => (history >> source) & 1;

/** Returns the columns of value 1 of a cell's row: intercept, one column a source, one column a pair. */
const columnsOf = (history: number, sources: number, pairs: readonly SourcePair[]): number[] => {
  const columns = [0];
  for (let source = 0; source < sources; source += 1) if (has(history, source) === 1) columns.push(1 + source);
  for (const [at, [a, b]] of pairs.entries())
    if (has(history, a) === 1 && has(history, b) === 1) columns.push(1 + sources + at);
  return columns;
};

/** Inverts a symmetric positive definite matrix, stored row by row, in place (Gauss–Jordan). @returns false where it is singular */
function invert(matrix: Float64Array, size: number): boolean {
  for (let pivot = 0; pivot < size; pivot += 1) {
    const head = matrix[pivot * size + pivot] ?? 0;
    if (!(Math.abs(head) > 1e-14)) return false;
    for (let column = 0; column < size; column += 1)
      if (column !== pivot) matrix[pivot * size + column] = (matrix[pivot * size + column] ?? 0) / head;
    for (let row = 0; row < size; row += 1) if (row !== pivot) eliminate(matrix, size, { row, pivot, head });
    matrix[pivot * size + pivot] = 1 / head;
  }
  return true;
}

/** Subtracts the scaled pivot row from a row, and leaves the column of the inverse in the pivot column. */
function eliminate(
  matrix: Float64Array,
  size: number,
  { row, pivot, head }: { readonly row: number; readonly pivot: number; readonly head: number },
): void {
  const at = (inRow: number, column: number): number => matrix[inRow * size + column] ?? 0;
  const factor = at(row, pivot);
  for (let column = 0; column < size; column += 1)
    if (column !== pivot) matrix[row * size + column] = at(row, column) - factor * at(pivot, column);
  matrix[row * size + pivot] = -factor / head;
}

/** The table of a model: for each cell its count and the columns of its row that are 1. */
interface Table {
  readonly counts: readonly number[];
  readonly columns: readonly (readonly number[])[];
}

const logMeanOf = (columns: readonly number[], beta: Float64Array): number =>
  Math.min(
    MAX_LOG_MEAN,
    columns.reduce((sum, column) => sum + (beta[column] ?? 0), 0),
  );

/** Moves `beta` by one step of iteratively reweighted least squares and leaves its covariance. @returns the largest change; undefined where there is none */
function step(table: Table, beta: Float64Array, covariance: Float64Array): number | undefined {
  const score = normalEquations(table, beta, covariance);
  return invert(covariance, beta.length) ? solve(covariance, score, beta) : undefined;
}

/** Fills `information` with the matrix of the normal equations. @returns their right side */
function normalEquations({ counts, columns }: Table, beta: Float64Array, information: Float64Array): Float64Array {
  const size = beta.length;
  const score = new Float64Array(size);
  information.fill(0);
  for (const [cell, row] of columns.entries()) {
    const logMean = logMeanOf(row, beta);
    const mean = Math.exp(logMean);
    const working = mean * logMean + (counts[cell] ?? 0) - mean;
    for (const a of row) {
      score[a] = (score[a] ?? 0) + working;
      for (const b of row) information[a * size + b] = (information[a * size + b] ?? 0) + mean;
    }
  }
  for (let at = 0; at < size; at += 1) information[at * size + at] = (information[at * size + at] ?? 0) + RIDGE;
  return score;
}

/** Sets `beta` to the solution of the normal equations. @returns the largest change; undefined where a value is not finite */
function solve(covariance: Float64Array, score: Float64Array, beta: Float64Array): number | undefined {
  const size = beta.length;
  let change = 0;
  for (let a = 0; a < size; a += 1) {
    let next = 0;
    for (let b = 0; b < size; b += 1) next += (covariance[a * size + b] ?? 0) * (score[b] ?? 0);
    if (!Number.isFinite(next)) return undefined;
    change = Math.max(change, Math.abs(next - (beta[a] ?? 0)));
    beta[a] = next;
  }
  return change;
}

/**
 * Fits a Poisson log-linear model (Fienberg 1972; Cormack 1989) by maximum likelihood.
 * A constant is added to each cell, which removes most of the bias of small counts and keeps empty cells finite (Evans and Bonett 1994).
 * @param counts pages by history; index 0 is ignored
 * @returns undefined where the model can not be estimated
 */
export function fitLogLinear(
  counts: readonly number[],
  sources: number,
  pairs: readonly SourcePair[],
): FittedModel | undefined {
  const histories = Array.from({ length: 2 ** sources - 1 }, (_, at) => at + 1);
  const added = 0.5 ** (sources - 1);
  const adjusted = histories.map((history) => (counts[history] ?? 0) + added);
  const columns = histories.map((history) => columnsOf(history, sources, pairs));
  const size = 1 + sources + pairs.length;
  const [beta, covariance] = [new Float64Array(size), new Float64Array(size * size)];
  beta[0] = Math.log(adjusted.reduce((sum, count) => sum + count, 0) / adjusted.length);
  for (let round = 0; round < MAX_STEPS; round += 1) {
    const change = step({ counts: adjusted, columns }, beta, covariance);
    if (change === undefined) return undefined;
    if (change >= CONVERGED) continue;
    const observed = histories.map((history) => counts[history] ?? 0);
    return {
      unseen: Math.exp(beta[0] ?? 0),
      logVariance: covariance[0] ?? 0,
      logLikelihood: logLikelihoodOf({ counts: observed, columns }, beta),
      parameters: size - 1,
    };
  }
  return undefined;
}

/** Returns the log-likelihood of the cells given their sum. */
function logLikelihoodOf({ counts, columns }: Table, beta: Float64Array): number {
  const logMeans = columns.map((row) => logMeanOf(row, beta));
  const logTotal = Math.log(logMeans.reduce((sum, logMean) => sum + Math.exp(logMean), 0));
  return logMeans.reduce((sum, logMean, cell) => sum + (counts[cell] ?? 0) * (logMean - logTotal), 0);
}
