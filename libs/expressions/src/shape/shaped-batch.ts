import type { CellFailure } from './shape.ts';

/** Rows sent to the worker. */
export interface BatchMessage {
  readonly id: number;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** The result of a batch: the rows that meet the condition, in order, and the cells that could not be computed (the first 100, with the index of their row). */
export interface ShapedBatch {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** The index of each of these rows in the batch. */
  readonly kept: readonly number[];
  readonly failed: number;
  readonly failures: readonly (CellFailure & { readonly index: number })[];
}

/** Sent by the worker: once when it is ready, then once per batch. */
export type WorkerMessage = { readonly ready: true } | { readonly id: number; readonly batch: ShapedBatch };
