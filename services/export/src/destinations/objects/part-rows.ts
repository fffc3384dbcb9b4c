import type { DatasetColumn as Column, DatasetRow as Row } from '@tidemark/api';
import type { SyncBatch, SyncPlan, SyncRow } from '../driver.ts';
import { META_COLUMNS, rowIdOf } from '../meta-columns.ts';
import { storable } from '../storable.ts';

/** Size of a part: characters of its texts, and rows. A part is held in memory while it is written. */
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

/** The rows of one part. */
export interface PartRows {
  readonly rows: readonly Row[];
  /** Rows left out since the part before it. */
  readonly skipped: number;
  /** Position behind its last row. */
  readonly last: number;
}

/** Joins batches to parts. The last one has no rows where only rows that were left out follow. */
export async function* partsOf(
  batches: AsyncIterable<SyncBatch>,
  plan: SyncPlan,
  limits: PartLimits,
): AsyncGenerator<PartRows> {
  let rows: Row[] = [];
  let chars = 0;
  let skipped = 0;
  let position = 0;
  for await (const batch of batches) {
    position = batch.last;
    skipped += batch.skipped ?? 0;
    for (const each of batch.rows) {
      const row = fileRow(each, plan);
      rows.push(row);
      chars += charsOf(row);
    }
    if (chars < limits.chars && rows.length < limits.rows) continue;
    yield { rows, skipped, last: position };
    rows = [];
    chars = 0;
    skipped = 0;
  }
  if (rows.length > 0 || skipped > 0) yield { rows, skipped, last: position };
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
