import { hash } from 'node:crypto';
import { type DatasetColumn as Column, column, nullable } from '@tidemark/datasets';
import type { SyncPlan, SyncRow } from './driver.ts';

/** Columns that a sync adds to every table. Columns of a shape may not begin with an underscore. */
export const META_COLUMNS: readonly Column[] = [
  column('_row_id', 'text', 'SHA-256 of project, dataset and key; in append mode of the run too'),
  column('_project_id', 'text', 'Project of the row'),
  column('_run_id', 'text', 'Run of the row'),
  column('_crawled_at', 'time', 'Time of the capture'),
  column('_synced_at', 'time', 'Time at which the row was last changed by a sync'),
  column('_sync_id', 'text', 'Sync that last changed the row'),
  nullable(
    '_change',
    'text',
    'added, modified or same, compared with the run before; null without a change record, and where the page was not compared',
  ),
  nullable('_deleted_at', 'time', 'Time at which a complete run no longer had the row (mirror)'),
];

/** Returns the id of a row. A hash fits into every index; URLs do not (PostgreSQL refuses index entries above 2,704 bytes). */
export function rowIdOf({ key }: SyncRow, { projectId, dataset, runId, mode }: SyncPlan): string {
  const parts = [projectId, dataset, ...(mode === 'append' ? [runId] : []), ...key];
  return hash('sha256', JSON.stringify(parts));
}

/** Returns a function that returns the values of META_COLUMNS for a row. */
export function makeMetaValues(plan: SyncPlan, syncedAt: Date): (row: SyncRow) => readonly unknown[] {
  const { projectId, runId, syncId } = plan;
  return (row) => [rowIdOf(row, plan), projectId, runId, row.crawledAt, syncedAt, syncId, row.change, null];
}

/** Converts the name of a dataset column to that of a table column: `crawledAt` to `crawled_at`. */
export const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
