import { type DatasetColumn as Column, column } from '@tidemark/datasets';
import { META_COLUMNS } from '../meta-columns.ts';
import { literal, quoted } from './clickhouse-client.ts';

/** Of rows with one id, the highest version counts; a removed row is not read with FINAL. */
const VERSION_COLUMNS: readonly Column[] = [column('_version', 'int64', ''), column('_removed', 'int', '')];
const ID_COLUMNS = new Set(['_row_id', '_project_id', '_run_id', '_sync_id']);

const TYPES: Readonly<Record<Column['type'], string>> = {
  text: 'Nullable(String)',
  int: 'Nullable(Int32)',
  int64: 'Nullable(Int64)',
  double: 'Nullable(Float64)',
  bool: 'Nullable(Bool)',
  time: "Nullable(DateTime64(3, 'UTC'))",
  list: 'Array(String)',
  json: 'Nullable(String)',
};
const OWN_TYPES: Readonly<Record<string, string>> = {
  _row_id: 'FixedString(64)',
  _crawled_at: "DateTime64(3, 'UTC')",
  _synced_at: "DateTime64(3, 'UTC')",
  _version: 'UInt64',
  _removed: 'UInt8',
};

/** Types of existing columns, without Nullable, into which a value fits without loss. */
const FITTING: Readonly<Record<Column['type'], RegExp>> = {
  text: /^String$/,
  int: /^(Int32|Int64|Float64|Decimal)/,
  int64: /^Int64/,
  double: /^Float64/,
  bool: /^(Bool|UInt8|Int8)/,
  time: /^DateTime64\([3-9]/,
  list: /^Array\(String\)/,
  json: /^String$/,
};

export const typeOf = ({ name, type }: Column): string =>
  OWN_TYPES[name] ?? (ID_COLUMNS.has(name) ? 'String' : TYPES[type]);

/** Columns of a sync have their own types; those of the user must hold the values. */
export const fits = (each: Column, existing: string): boolean =>
  existing === typeOf(each) || FITTING[each.type].test(existing.replace(/^Nullable\((.*)\)$/, '$1'));

export const OWN_COLUMNS: readonly Column[] = [...META_COLUMNS, ...VERSION_COLUMNS];

export const LEDGER = '_tidemark_syncs';
export const createLedger = (table: string): string => `CREATE TABLE IF NOT EXISTS ${table} (
  sync_id String, table_name String, project_id String, dataset String, run_id String, run_at DateTime64(3, 'UTC'), mode String,
  rows_read UInt64, rows_written UInt64, rows_deleted UInt64, rows_skipped UInt64, is_full_run UInt8, version UInt64, is_done UInt8, synced_at DateTime64(3, 'UTC')
  ) ENGINE = ReplacingMergeTree(is_done) ORDER BY sync_id`;

const defined = (columns: readonly Column[]): string =>
  columns.map((each) => `${quoted(each.name)} ${typeOf(each)}`).join(', ');

export const createTable = (table: string, columns: readonly Column[]): string =>
  `CREATE TABLE IF NOT EXISTS ${table} (${defined([...OWN_COLUMNS, ...columns])})
   ENGINE = ReplacingMergeTree(_version, _removed) ORDER BY _row_id`;

export const createStaging = (table: string, columns: readonly Column[]): string =>
  `CREATE TABLE ${table} (${defined([...META_COLUMNS, ...columns])}) ENGINE = MergeTree ORDER BY _row_id`;

export const listed = (names: readonly string[]): string => names.map(quoted).join(', ');

/** What a merge reads and writes. */
export interface Merge {
  readonly table: string;
  readonly staging: string;
  readonly projectId: string;
  readonly runId: string;
  readonly syncId: string;
  readonly columns: readonly Column[];
  /** Every column of the table, in any order. */
  readonly existing: readonly string[];
  readonly version: number;
}

const newest = (staging: string): string => `(SELECT * FROM ${staging} ORDER BY _crawled_at DESC LIMIT 1 BY _row_id)`;

function differs({ name, type }: Column): string {
  const [old, now] = [`o.${quoted(name)}`, `s.${quoted(name)}`];
  return type === 'list' ? `${old} != ${now}` : `(isNull(${old}) != isNull(${now}) OR ifNull(${old} != ${now}, 0))`;
}

/** Staged rows that the table lacks, or whose data differ from an equally new or newer capture. */
const changedRows = ({ table, staging, projectId, columns }: Merge): string => `FROM ${newest(staging)} s
  LEFT JOIN (SELECT *, 1 AS _is_found FROM ${table} FINAL WHERE _project_id = ${literal(projectId)}
    AND _row_id IN (SELECT _row_id FROM ${staging})) o ON s._row_id = o._row_id
  WHERE o._is_found = 0 OR (s._crawled_at >= o._crawled_at AND (${['isNotNull(o._deleted_at)', ...columns.map(differs)].join(' OR ')}))`;

export const countChanged = (merge: Merge): string => `SELECT count() AS n ${changedRows(merge)}`;

/** Columns that the sync does not write keep their values. */
export function insertChanged(merge: Merge): string {
  const staged = new Set([...META_COLUMNS, ...merge.columns].map(({ name }) => name));
  const values = merge.existing.map((name) => {
    if (name === '_version') return `${merge.version} AS _version`;
    if (name === '_removed') return '0 AS _removed';
    return `${staged.has(name) ? 's' : 'o'}.${quoted(name)} AS ${quoted(name)}`;
  });
  return `INSERT INTO ${merge.table} (${listed(merge.existing)}) SELECT ${values.join(', ')} ${changedRows(merge)}`;
}

export const countStaged = ({ staging }: Merge): string => `SELECT uniqExact(_row_id) AS n FROM ${staging}`;

export function insertStaged({ table, staging, columns, version }: Merge): string {
  const names = [...META_COLUMNS, ...columns].map(({ name }) => name);
  return `INSERT INTO ${table} (${listed([...names, '_version', '_removed'])})
    SELECT ${listed(names)}, ${version}, 0 FROM ${newest(staging)}`;
}

const missing = ({ table, staging, projectId }: Merge): string =>
  `FROM ${table} FINAL WHERE _project_id = ${literal(projectId)} AND _row_id NOT IN (SELECT _row_id FROM ${staging})`;

/** Removes the rows of the run that it no longer has, in append mode. */
export const removeRun = (merge: Merge): string =>
  `INSERT INTO ${merge.table} (${listed(merge.existing)}) SELECT ${replaced(merge, { _removed: '1' })} ${missing(merge)}
   AND _run_id = ${literal(merge.runId)}`;

export const countMissing = (merge: Merge): string => `SELECT count() AS n ${missing(merge)} AND isNull(_deleted_at)`;

export function markDeleted(merge: Merge): string {
  const now = "now64(3, 'UTC')";
  const values = { _deleted_at: now, _synced_at: now, _sync_id: literal(merge.syncId) };
  return `INSERT INTO ${merge.table} (${listed(merge.existing)}) SELECT ${replaced(merge, values)} ${missing(merge)} AND isNull(_deleted_at)`;
}

const replaced = ({ existing, version }: Merge, values: Readonly<Record<string, string>>): string =>
  existing.map((name) => (name === '_version' ? String(version) : (values[name] ?? quoted(name)))).join(', ');
