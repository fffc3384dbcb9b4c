import type { DatasetColumn as Column } from '@tidemark/datasets';
import { type RawBuilder, sql } from '@tidemark/sql';
import type { SyncPlan } from '../driver.ts';
import { META_COLUMNS } from '../meta-columns.ts';

export const LEDGER = '_tidemark_syncs';

const TYPES: Readonly<Record<Column['type'], string>> = {
  text: 'text',
  int: 'integer',
  int64: 'bigint',
  double: 'double precision',
  bool: 'boolean',
  time: 'timestamp with time zone',
  list: 'jsonb',
  json: 'jsonb',
};

/** Types of existing columns into which a value fits without loss. */
const FITTING: Readonly<Record<Column['type'], readonly string[]>> = {
  text: ['text', 'character varying'],
  int: ['integer', 'bigint', 'numeric', 'double precision'],
  int64: ['bigint', 'numeric'],
  double: ['double precision', 'numeric'],
  bool: ['boolean'],
  time: ['timestamp with time zone'],
  list: ['jsonb'],
  json: ['jsonb'],
};

export const typeOf = ({ type }: Column): string => TYPES[type];
export const fits = ({ type }: Column, existing: string): boolean => FITTING[type].includes(existing);

/** Whether the values of a column may be stored outside of its row. */
export const isLong = ({ type }: Column): boolean => ['text', 'jsonb'].includes(TYPES[type]);

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const listed = (columns: readonly Column[]): string => columns.map(({ name }) => quoted(name)).join(', ');

export function createTable(table: string, columns: readonly Column[]): string {
  const defined = [...META_COLUMNS, ...columns].map(
    (each) => `${quoted(each.name)} ${typeOf(each)}${each.name === '_row_id' ? ' PRIMARY KEY' : ''}`,
  );
  return `CREATE TABLE IF NOT EXISTS ${quoted(table)} (${defined.join(', ')})`;
}

export const CREATE_LEDGER = `CREATE TABLE IF NOT EXISTS ${LEDGER} (
  sync_id text PRIMARY KEY, table_name text NOT NULL, project_id text NOT NULL, dataset text NOT NULL, run_id text NOT NULL,
  run_at timestamptz NOT NULL, mode text NOT NULL, rows_read bigint, rows_written bigint, rows_deleted bigint,
  rows_skipped bigint NOT NULL DEFAULT 0,
  is_full_run boolean NOT NULL, synced_at timestamptz NOT NULL DEFAULT now())`;

/** Writes the newest row of each key; rows whose data are unchanged, or older than the stored ones, are left as they are. */
export function upsert(table: string, columns: readonly Column[]): string {
  const all = [...META_COLUMNS, ...columns];
  const changed = columns.map(({ name }) => `t.${quoted(name)} IS DISTINCT FROM excluded.${quoted(name)}`);
  const set = all
    .filter(({ name }) => name !== '_row_id')
    .map(({ name }) => `${quoted(name)} = excluded.${quoted(name)}`);
  return `INSERT INTO ${quoted(table)} AS t (${listed(all)})
    SELECT DISTINCT ON (_row_id) ${listed(all)} FROM pg_temp._staged ORDER BY _row_id, _crawled_at DESC
    ON CONFLICT (_row_id) DO UPDATE SET ${set.join(', ')}
    WHERE excluded._crawled_at >= t._crawled_at AND (t._deleted_at IS NOT NULL${changed.length === 0 ? '' : ` OR ${changed.join(' OR ')}`})`;
}

export function append(table: string, columns: readonly Column[]): string {
  const all = listed([...META_COLUMNS, ...columns]);
  return `INSERT INTO ${quoted(table)} (${all}) SELECT DISTINCT ON (_row_id) ${all} FROM pg_temp._staged ORDER BY _row_id, _crawled_at DESC`;
}

export const deleteRun = ({ table, runId, projectId }: SyncPlan): RawBuilder<unknown> =>
  sql`DELETE FROM ${sql.id(table)} WHERE _run_id = ${runId} AND _project_id = ${projectId}`;

export const markDeleted = ({ table, projectId, syncId }: SyncPlan): RawBuilder<unknown> =>
  sql`UPDATE ${sql.id(table)} t SET _deleted_at = now(), _synced_at = now(), _sync_id = ${syncId}
   WHERE _project_id = ${projectId} AND _deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM pg_temp._staged s WHERE s._row_id = t._row_id)`;
