import type { DatasetColumn as Column, DatasetRow as Row } from '@tidemark/api';

export const MODES = ['append', 'upsert', 'mirror'] as const;
/**
 * How a sync changes its table. `append`: adds the rows of each run; syncing a run again replaces its rows. `upsert`: one row per key, the
 * newest capture wins. `mirror`: as upsert, and rows that a complete run no longer has are marked as deleted.
 */
export type Mode = (typeof MODES)[number];

/** What one sync writes. */
export interface SyncPlan {
  /** Identifies the sync in the destination's ledger: writing it again has no effect. */
  readonly syncId: string;
  readonly projectId: string;
  readonly dataset: string;
  readonly runId: string;
  /** Time of the run; a run older than the newest one that was written is skipped, except in append. */
  readonly runAt: Date;
  readonly table: string;
  readonly mode: Mode;
  /** Columns of the rows, by their names in the destination. */
  readonly columns: readonly Column[];
  /** Column names that identify a row within a project. */
  readonly key: readonly string[];
  /** False: the run does not cover the site; mirror then deletes nothing. */
  readonly isWholeSite: boolean;
}

/** A row as a destination stores it: `values` by column, with the time of its capture. */
export interface SyncRow {
  readonly values: Row;
  readonly crawledAt: Date;
}

export interface SyncOutcome {
  /** `skipped`: a newer run is already in the destination. */
  readonly status: 'done' | 'skipped';
  readonly read: number;
  readonly written: number;
  readonly unchanged: number;
  readonly deleted: number;
  /** Sentences for the user: columns left out, rows not deleted. */
  readonly warnings: readonly string[];
  /** Where the rows are: a table or a path, without secrets. */
  readonly location: string;
}

/** One step of a test of a destination. */
export interface TestStep {
  readonly name: 'address' | 'connect' | 'sign_in' | 'write' | 'mode';
  readonly ok: boolean;
  /** Sentence for the user. */
  readonly message: string;
}

/** Access to one destination. */
export interface Driver {
  /** Tests the destination step by step; ends after the first failed one. Leaves nothing behind. */
  test(mode: Mode): AsyncIterable<TestStep>;
  /** Writes a sync completely or not at all. Idempotent by `syncId`. @throws DestinationError */
  write(plan: SyncPlan, batches: AsyncIterable<readonly SyncRow[]>, signal: AbortSignal): Promise<SyncOutcome>;
}

/** Most characters of an error of the destination that are stored. */
const MAX_MESSAGE = 2_000;

/** A failure of a destination. */
export class DestinationError extends Error {
  override readonly name = 'DestinationError';
  /** `temporary`: worth another attempt. `refused`: sign-in or rights. `invalid`: the table or the rows do not fit. */
  readonly kind: 'temporary' | 'refused' | 'invalid';

  constructor(kind: DestinationError['kind'], message: string, cause?: unknown) {
    super(message.slice(0, MAX_MESSAGE), cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}
