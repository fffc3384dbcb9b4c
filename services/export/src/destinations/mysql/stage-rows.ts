import { Readable } from 'node:stream';
import type { Connection, ResultSetHeader } from 'mysql2/promise';
import { DestinationError, type SyncAttempt, type SyncPlan, type SyncSource } from '../driver.ts';
import { META_COLUMNS, makeMetaValues } from '../meta-columns.ts';
import { storableText } from '../storable.ts';
import { makeLineEncoder } from '../tab-separated.ts';
import { loadCell, sqlValue } from './load-text.ts';
import { selectNamed } from './named-statement.ts';
import { columnNames, createStaging, deduplicate, quoted } from './sql.ts';

const STAGED = '_tidemark_staged';
const DEDUPLICATED = '_tidemark_deduplicated';
const STATEMENT_MS = 600_000;
/** Characters of a statement with several rows, below the smallest usual max_allowed_packet of 4 MB. */
const INSERT_CHARS = 1024 * 1024;

/** The rows of an attempt. */
export interface RowSource {
  readonly source: SyncSource;
  readonly attempt: SyncAttempt;
}

/** Rows that were read, and rows that were left out before. */
interface Counts {
  readonly read: number;
  readonly skipped: number;
}

export interface Staged extends Counts {
  readonly table: string;
}

/** Writes the rows to a temporary table, each key once. @returns the table and the numbers of rows */
export async function stageRows(connection: Connection, plan: SyncPlan, from: RowSource): Promise<Staged> {
  await connection.query(createStaging(STAGED, plan.columns));
  const [settings] = await selectNamed<{ isAllowed: number }>(connection, 'SELECT @@local_infile AS isAllowed', {});
  const isLoadAllowed = Number(settings?.isAllowed ?? 0) === 1;
  const stage = isLoadAllowed ? loadRows : insertRows;
  const counts = await stage(connection, plan, from);
  const [counted] = await selectNamed<{ keyed: number }>(
    connection,
    `SELECT COUNT(DISTINCT _row_id) AS keyed FROM ${quoted(STAGED)}`,
    {},
  );
  if (Number(counted?.keyed) === counts.read) return { table: STAGED, ...counts };
  await connection.query(createStaging(DEDUPLICATED, plan.columns));
  await connection.query({ sql: deduplicate(STAGED, DEDUPLICATED, plan.columns), timeout: STATEMENT_MS });
  return { table: DEDUPLICATED, ...counts };
}

/** Streams the rows in one statement. The server may name any file for it: the name is not used, and no other statement has a stream. */
async function loadRows(connection: Connection, plan: SyncPlan, { source, attempt }: RowSource): Promise<Counts> {
  const encode = makeLineEncoder(plan, loadCell);
  let read = 0;
  let skipped = 0;
  let failure: unknown;
  async function* lines(): AsyncGenerator<Buffer> {
    try {
      for await (const { rows, skipped: left = 0 } of source.read(0)) {
        read += rows.length;
        skipped += left;
        attempt.reportProgress(read);
        for (const chunk of encode(rows)) {
          yield chunk;
          attempt.reportProgress(read);
        }
      }
    } catch (error) {
      // The driver ends the statement with the rows sent so far; the caller receives the cause and rolls back.
      failure = error;
    }
  }
  const sql = `LOAD DATA LOCAL INFILE 'rows' INTO TABLE ${quoted(STAGED)} CHARACTER SET utf8mb4 (${columnNames(plan.columns)})`;
  const [result] = await connection.query<ResultSetHeader>({
    sql,
    timeout: STATEMENT_MS,
    infileStreamFactory: () => Readable.from(lines(), { objectMode: false }),
  });
  if (failure !== undefined) throw failure;
  // LOCAL turns errors into warnings.
  if (result.warningStatus > 0 || result.affectedRows !== read) throw await firstWarning(connection);
  return { read, skipped };
}

async function firstWarning(connection: Connection): Promise<DestinationError> {
  const [warning] = await selectNamed<{ Message: string }>(connection, 'SHOW WARNINGS LIMIT 1', {});
  return new DestinationError(
    'invalid',
    `a row could not be loaded: ${warning?.Message ?? 'the server gives no reason'}`,
  );
}

/** Inserts the rows, for servers that do not allow LOAD DATA LOCAL. */
async function insertRows(connection: Connection, plan: SyncPlan, { source, attempt }: RowSource): Promise<Counts> {
  const columns = [...META_COLUMNS, ...plan.columns];
  const metaValues = makeMetaValues(plan, new Date());
  const head = `INSERT INTO ${quoted(STAGED)} (${columnNames(plan.columns)}) VALUES `;
  let read = 0;
  let skipped = 0;
  let tuples: string[] = [];
  let chars = 0;
  const flush = async (): Promise<void> => {
    if (tuples.length > 0) await connection.query({ sql: head + tuples.join(','), timeout: STATEMENT_MS });
    tuples = [];
    chars = 0;
  };
  for await (const { rows, skipped: left = 0 } of source.read(0)) {
    read += rows.length;
    skipped += left;
    attempt.reportProgress(read);
    for (const row of rows) {
      const values = [...metaValues(row), ...plan.columns.map(({ name }) => row.values[name])];
      const cells = values.map((value, at) => sqlValue(value, columns[at]?.type ?? 'text'));
      const text = `(${cells.map((cell) => connection.escape(typeof cell === 'string' ? storableText(cell) : cell)).join(',')})`;
      tuples.push(text);
      chars += text.length;
      if (chars >= INSERT_CHARS) await flush();
    }
  }
  await flush();
  return { read, skipped };
}
