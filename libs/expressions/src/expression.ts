/** Longest expression, characters. */
export const MAX_SOURCE = 2_000;

/** An expression that can not be compiled, or whose evaluation failed for a row. The message states the cause and, for a syntax error, the position. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

/** A compiled expression. It has no state: one instance serves any number of rows. */
export interface Expression {
  readonly source: string;
  /** Returns plain JSON values, `bigint` for int and `Date` for timestamps. @throws ExpressionError if the evaluation fails for this row */
  evaluate(row: Readonly<Record<string, unknown>>): unknown;
}
