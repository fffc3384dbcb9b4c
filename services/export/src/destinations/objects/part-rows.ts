import type { DatasetColumn as Column, DatasetRow as Row } from '@tidemark/datasets';
import type { SyncBatch, SyncPlan, SyncRow } from '../driver.ts';
import { META_COLUMNS, rowIdOf } from '../meta-columns.ts';
import { storable } from '../storable.ts';

/** Size of a part: characters of its texts, and rows. The bytes of two parts are held in memory. */
export const PART_LIMITS: PartLimits = { chars: 32 * 1024 * 1024, rows: 50_000 };

export interface PartLimits {
  readonly chars: number;
  readonly rows: number;
}

/** Files are written once, so that they have no times of later changes, and the same rows have the same bytes. */
const OMITTED = new Set(['_synced_at', '_deleted_at']);

/** Returns the columns of a file: those of the sync, with the meta columns before them. */
export const fileColumns = (columns: readonly Column[]): readonly Column[] => [
  ...META_COLUMNS.filter(({ name }) => !OMITTED.has(name)),
  ...columns,
];

/** The rows of one part. They are read once, and are not kept. */
export interface PartRows {
  readonly batches: AsyncIterable<readonly Row[]>;
  /** What has been read of the part; complete behind its last batch. */
  readonly counts: Readonly<PartCounts>;
}

interface PartCounts {
  rows: number;
  /** Rows left out since the part before it. */
  skipped: number;
  /** Position behind its last row. */
  last: number;
}

/**
 * Divides batches into parts. The batches of a part must be read to the end before the next part. The last part has no rows where only rows
 * that were left out follow.
 */
export async function* partsOf(
  batches: AsyncIterable<SyncBatch>,
  plan: SyncPlan,
  limits: PartLimits,
): AsyncGenerator<PartRows> {
  const source = batches[Symbol.asyncIterator]();
  // A batch that is read ahead is not kept in a variable: it would live as long as its part.
  const ahead: SyncBatch[] = [];
  const next = async (): Promise<SyncBatch | undefined> => {
    if (ahead.length > 0) return ahead.pop();
    const { done, value } = await source.next();
    return done === true ? undefined : value;
  };
  const hasMore = async (): Promise<boolean> => {
    const batch = await next();
    if (batch !== undefined) ahead.push(batch);
    return batch !== undefined;
  };
  try {
    while (await hasMore()) {
      const counts = { rows: 0, skipped: 0, last: 0 };
      yield { batches: partOf({ next, plan, limits, counts }), counts };
    }
  } finally {
    await source.return?.();
  }
}

interface Dividing {
  readonly next: () => Promise<SyncBatch | undefined>;
  readonly plan: SyncPlan;
  readonly limits: PartLimits;
  readonly counts: PartCounts;
}

async function* partOf({ next, plan, limits, counts }: Dividing): AsyncGenerator<readonly Row[]> {
  let chars = 0;
  for (let batch = await next(); batch !== undefined; batch = await next()) {
    const rows = batch.rows.map((row) => fileRow(row, plan));
    counts.rows += rows.length;
    counts.skipped += batch.skipped ?? 0;
    counts.last = batch.last;
    for (const row of rows) chars += charsOf(row);
    if (rows.length > 0) yield rows;
    if (chars >= limits.chars || counts.rows >= limits.rows) return;
  }
}

function fileRow(row: SyncRow, plan: SyncPlan): Row {
  const { projectId, runId, syncId, columns } = plan;
  const meta = { _row_id: rowIdOf(row, plan), _project_id: projectId, _run_id: runId };
  const own = columns.map(({ name }): [string, unknown] => [name, storable(row.values[name] ?? null)]);
  return { ...meta, _crawled_at: row.crawledAt.toISOString(), _sync_id: syncId, ...Object.fromEntries(own) };
}

/** An estimate: long texts decide the size of a row. */
function charsOf(row: Row): number {
  let chars = 0;
  for (const value of Object.values(row)) {
    if (typeof value === 'string') chars += value.length;
    else chars += typeof value === 'object' && value !== null ? JSON.stringify(value).length : 8;
  }
  return chars;
}
