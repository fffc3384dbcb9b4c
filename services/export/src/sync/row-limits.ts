import type { DatasetColumn as Column } from '@tidemark/datasets';
import { DestinationError, type SyncBatch, type SyncRow } from '../destinations/driver.ts';

/** Rows that a destination can not store are left out; with more than this share of them a sync fails. */
const MAX_SKIPPED_SHARE = 0.01;
/** Most skipped rows whose reasons are listed. */
const MAX_REASONS = 100;
const MIN_INT32 = -(2 ** 31);
const MAX_INT32 = 2 ** 31 - 1;
/** Years that the times of every database can represent. */
const MIN_TIME_MS = Date.UTC(1900, 0, 1);
const MAX_TIME_MS = Date.UTC(2262, 0, 1);
const KEY_CHARS = 200;
const DECIMAL = /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** Leaves out rows that a destination can not store, counts them, and lists the reasons. */
export class RowLimits {
  skipped = 0;
  readonly reasons: string[] = [];
  #read = 0;
  readonly #columns: readonly Column[];
  readonly #maxCellBytes: number;

  /** @param maxCellBytes largest text of a cell, in UTF-8 */
  constructor(columns: readonly Column[], maxCellBytes: number) {
    this.#columns = columns;
    this.#maxCellBytes = maxCellBytes;
  }

  /** Returns the rows of a batch that can be stored. */
  apply({ rows, last }: SyncBatch): SyncBatch {
    const kept = rows.filter((row) => this.#isStorable(row));
    const skipped = rows.length - kept.length;
    this.#read += rows.length;
    this.skipped += skipped;
    return { rows: kept, skipped, last };
  }

  /** Requires that few rows were left out; call it behind the last row. @throws DestinationError */
  requireFew(): void {
    if (this.skipped <= this.#read * MAX_SKIPPED_SHARE) return;
    throw new DestinationError(
      'invalid',
      `${this.skipped} of ${this.#read} rows can not be stored, more than ${MAX_SKIPPED_SHARE * 100} %; the first: ${this.reasons[0]}`,
    );
  }

  #isStorable({ key, values }: SyncRow): boolean {
    for (const { name, type } of this.#columns) {
      const fault = this.#faultOf(values[name], type);
      if (fault === undefined) continue;
      if (this.reasons.length < MAX_REASONS)
        this.reasons.push(`the row ${key.join(' ').slice(0, KEY_CHARS)} was left out: the column ${name} ${fault}`);
      return false;
    }
    return true;
  }

  #faultOf(value: unknown, type: Column['type']): string | undefined {
    if (value === null || value === undefined) return undefined;
    if (type === 'json' || type === 'list' || type === 'text')
      return this.#isTooLong(typeof value === 'string' ? value : JSON.stringify(value))
        ? `has more than ${this.#maxCellBytes} bytes`
        : undefined;
    return VALID[type](value) ? undefined : `is not of the type ${type}`;
  }

  #isTooLong(text: string): boolean {
    // A UTF-16 unit has at most three bytes in UTF-8.
    return text.length * 3 > this.#maxCellBytes && Buffer.byteLength(text) > this.#maxCellBytes;
  }
}

const VALID: Readonly<Record<Exclude<Column['type'], 'json' | 'list' | 'text'>, (value: unknown) => boolean>> = {
  int: (value) => Number.isInteger(value) && Number(value) >= MIN_INT32 && Number(value) <= MAX_INT32,
  int64: (value) => Number.isSafeInteger(value) || typeof value === 'bigint',
  double: (value) => Number.isFinite(value) || (typeof value === 'string' && DECIMAL.test(value)),
  bool: (value) => typeof value === 'boolean',
  time: (value) => {
    const ms = value instanceof Date ? value.getTime() : typeof value === 'string' ? Date.parse(value) : Number.NaN;
    return ms >= MIN_TIME_MS && ms < MAX_TIME_MS;
  },
};
