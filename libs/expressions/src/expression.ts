/** Longest expression, characters. */
export const MAX_SOURCE = 2_000;

/** An expression that can not be compiled, or whose evaluation failed for a row. The message states the cause and, where the fault has one, the position. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  /** Where the fault is: characters before it. Undefined: in no one place. */
  readonly offset: number | undefined;

  constructor(message: string, offset?: number) {
    super(message);
    this.offset = offset;
  }
}

/** A compiled expression. It has no state: one instance serves any number of rows. */
export interface Expression {
  readonly source: string;
  /** Returns plain JSON values, `bigint` for int and `Date` for timestamps. @throws ExpressionError if the evaluation fails for this row */
  evaluate(row: Readonly<Record<string, unknown>>): unknown;
}
