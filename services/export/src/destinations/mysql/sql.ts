import type { DatasetColumn as Column } from '@tidemark/datasets';
import { META_COLUMNS } from '../meta-columns.ts';

export const LEDGER = '_tidemark_syncs';

const TYPES: Readonly<Record<Column['type'], string>> = {
  text: 'longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin',
  int: 'int',
  int64: 'bigint',
  double: 'double',
  bool: 'tinyint(1)',
  time: 'datetime(3)',
  list: 'json',
  json: 'json',
};
/** Ids and hashes, which are compared and indexed. */
const ID = 'varchar(191) CHARACTER SET ascii COLLATE ascii_bin';
const HASH = 'char(64) CHARACTER SET ascii COLLATE ascii_bin';
const ID_COLUMNS = new Set(['_project_id', '_run_id', '_sync_id']);

/** Types of existing columns, without lengths, into which a value fits without loss. MariaDB stores json as longtext. */
const FITTING: Readonly<Record<Column['type'], readonly string[]>> = {
  text: ['longtext', 'mediumtext', 'text', 'varchar'],
  int: ['int', 'bigint', 'decimal', 'double'],
  int64: ['bigint', 'decimal'],
  double: ['double'],
  bool: ['tinyint', 'smallint', 'int', 'bigint'],
  time: ['datetime'],
  list: ['json', 'longtext'],
  json: ['json', 'longtext'],
};

export const typeOf = ({ name, type }: Column): string =>
  name === '_row_id' ? HASH : ID_COLUMNS.has(name) ? ID : TYPES[type];

/** Meta columns were created by a sync, or have a type that holds their values. */
export const fits = ({ name, type }: Column, existing: string): boolean =>
  FITTING[type].includes(existing) || (name.startsWith('_') && type === 'text' && existing === 'char');

export const quoted = (name: string): string => `\`${name.replaceAll('`', '``')}\``;
const listed = (columns: readonly Column[], table = ''): string =>
  columns.map(({ name }) => `${table}${quoted(name)}`).join(', ');

export const columnNames = (columns: readonly Column[]): string => listed([...META_COLUMNS, ...columns]);

const defined = (columns: readonly Column[]): string[] =>
  [...META_COLUMNS, ...columns].map((each) => `${quoted(each.name)} ${typeOf(each)} NULL`);

/** The primary key and, for deletions, an index by project and run. */
export const createTable = (table: string, columns: readonly Column[]): string =>
  `CREATE TABLE IF NOT EXISTS ${quoted(table)} (${defined(columns)
    .map((column) => (column.startsWith('`_row_id`') ? column.replace(/NULL$/, 'NOT NULL PRIMARY KEY') : column))
    .join(', ')}, KEY _tidemark_run (_project_id, _run_id)) ENGINE=InnoDB`;

export const createStaging = (table: string, columns: readonly Column[]): string =>
  `CREATE TEMPORARY TABLE ${quoted(table)} (${defined(columns).join(', ')}, KEY (_row_id)) ENGINE=InnoDB`;

export const CREATE_LEDGER = `CREATE TABLE IF NOT EXISTS ${LEDGER} (
  sync_id ${ID} NOT NULL PRIMARY KEY, table_name varchar(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, project_id ${ID} NOT NULL,
  dataset ${ID} NOT NULL, run_id ${ID} NOT NULL, run_at datetime(3) NOT NULL, mode varchar(16) NOT NULL, rows_read bigint,
  rows_written bigint, rows_deleted bigint, rows_skipped bigint NOT NULL DEFAULT 0, is_full_run tinyint(1) NOT NULL, synced_at datetime(3) NOT NULL, KEY (table_name, project_id, dataset)) ENGINE=InnoDB`;

/** Rows of the staging table without those whose key occurs again with a later capture. A temporary table can be read once per statement. */
export const deduplicate = (from: string, to: string, columns: readonly Column[]): string =>
  `INSERT INTO ${quoted(to)} (${columnNames(columns)}) SELECT ${columnNames(columns)} FROM (
     SELECT s.*, ROW_NUMBER() OVER (PARTITION BY _row_id ORDER BY _crawled_at DESC) AS _place FROM ${quoted(from)} s) ranked WHERE _place = 1`;

/** Texts are compared as bytes: collations of MySQL ignore trailing spaces. */
function differs({ name, type }: Column): string {
  const [old, now] = [`t.${quoted(name)}`, `s.${quoted(name)}`];
  return type === 'text' ? `NOT (CAST(${old} AS BINARY) <=> CAST(${now} AS BINARY))` : `NOT (${old} <=> ${now})`;
}

/** Updates stored rows whose data differ from an equally new or newer capture. */
export function updateChanged(table: string, staging: string, columns: readonly Column[]): string {
  const set = [...META_COLUMNS, ...columns]
    .filter(({ name }) => name !== '_row_id')
    .map(({ name }) => `t.${quoted(name)} = s.${quoted(name)}`);
  const changed = ['t._deleted_at IS NOT NULL', ...columns.map(differs)];
  return `UPDATE ${quoted(table)} t JOIN ${quoted(staging)} s ON s._row_id = t._row_id SET ${set.join(', ')}
    WHERE s._crawled_at >= t._crawled_at AND (${changed.join(' OR ')})`;
}

export const insertMissing = (table: string, staging: string, columns: readonly Column[]): string =>
  `INSERT INTO ${quoted(table)} (${columnNames(columns)}) SELECT ${listed([...META_COLUMNS, ...columns], 's.')}
   FROM ${quoted(staging)} s LEFT JOIN ${quoted(table)} t ON t._row_id = s._row_id WHERE t._row_id IS NULL`;

export const deleteRun = (table: string): string =>
  `DELETE FROM ${quoted(table)} WHERE _project_id = ? AND _run_id = ?`;

export const markDeleted = (table: string, staging: string): string =>
  `UPDATE ${quoted(table)} t LEFT JOIN ${quoted(staging)} s ON s._row_id = t._row_id
   SET t._deleted_at = UTC_TIMESTAMP(3), t._synced_at = UTC_TIMESTAMP(3), t._sync_id = ?
   WHERE t._project_id = ? AND t._deleted_at IS NULL AND s._row_id IS NULL`;
