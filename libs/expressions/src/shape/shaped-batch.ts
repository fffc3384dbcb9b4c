import type { CellFailure } from './shape.ts';

/** Rows sent to the worker. */
export type BatchRows = readonly Readonly<Record<string, unknown>>[];

/** The result of a batch: the rows that meet the condition, in order, and the cells that could not be computed (the first 100, with the index of their row). */
export interface ShapedBatch {
  readonly rows: BatchRows;
  /** The index of each of these rows in the batch. */
  readonly kept: readonly number[];
  readonly failed: number;
  readonly failures: readonly (CellFailure & { readonly index: number })[];
}
