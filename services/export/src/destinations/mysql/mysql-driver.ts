import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import type { DatasetColumn as Column, DestinationMode } from '@tidemark/datasets';
import type { DialTcp } from '@tidemark/egress';
import type { Connection, ResultSetHeader } from 'mysql2/promise';
import { dialFailure } from '../dial-failure.ts';
import {
  DestinationError,
  type Driver,
  type SyncAttempt,
  type SyncOutcome,
  type SyncPlan,
  type SyncSource,
  type TestStep,
} from '../driver.ts';
import { META_COLUMNS } from '../meta-columns.ts';
import { requireEvolving } from '../require-evolving.ts';
import { changeNamed, selectNamed } from './named-statement.ts';
import { asDestinationError, dialServer, type MysqlSettings, signIn } from './open-connection.ts';
import {
  CREATE_LEDGER,
  createTable,
  deleteRun,
  fits,
  insertMissing,
  LEDGER,
  markDeleted,
  quoted,
  typeOf,
  updateChanged,
} from './sql.ts';
import { type RowSource, stageRows } from './stage-rows.ts';

const STATEMENT_MS = 600_000;
const LOCK_SECONDS = 5;

/**
 * Writes to a MySQL or MariaDB database. The rows are staged in a temporary table; merge and ledger are one transaction. Tables and
 * columns are created before it, since these statements commit.
 */
export class MysqlDriver implements Driver {
  readonly #settings: MysqlSettings;
  readonly #dial: DialTcp;

  constructor(settings: MysqlSettings, dial: DialTcp) {
    this.#settings = settings;
    this.#dial = dial;
  }

  async *test(mode: DestinationMode, signal: AbortSignal): AsyncGenerator<TestStep> {
    const { port, user } = this.#settings;
    let socket: Socket;
    try {
      socket = await dialServer(this.#settings, this.#dial, signal);
    } catch (error) {
      yield* dialFailure(error);
      return;
    }
    yield { name: 'address', ok: true, message: 'the address is allowed' };
    yield { name: 'connect', ok: true, message: `connected to port ${port}` };
    let connection: Connection;
    try {
      connection = await signIn(this.#settings, socket, signal);
    } catch (error) {
      return yield { name: 'sign_in', ok: false, message: messageOf(error) };
    }
    yield { name: 'sign_in', ok: true, message: `signed in as ${user}` };
    try {
      await connection.query('CREATE TABLE _tidemark_test (id int)');
      try {
        await connection.query('INSERT INTO _tidemark_test VALUES (1)');
      } finally {
        await connection.query('DROP TABLE _tidemark_test');
      }
      await connection.query('CREATE TEMPORARY TABLE _tidemark_test (id int)');
      yield { name: 'write', ok: true, message: 'a table can be created, written and dropped' };
      yield { name: 'mode', ok: true, message: `${mode} is supported` };
    } catch (error) {
      yield { name: 'write', ok: false, message: messageOf(asDestinationError(error)) };
    } finally {
      connection.destroy();
    }
  }

  async write(plan: SyncPlan, source: SyncSource, attempt: SyncAttempt): Promise<SyncOutcome> {
    const { signal } = attempt;
    const socket = await dialServer(this.#settings, this.#dial, signal);
    const connection = await signIn(this.#settings, socket, signal);
    try {
      await abortable(signal, lockTable(connection, this.#settings.database, plan.table));
      return await abortable(signal, writeLocked(connection, plan, { source, attempt }));
    } catch (error) {
      throw signal.aborted ? signal.reason : asDestinationError(error);
    } finally {
      // Ends the transaction, the lock and the temporary tables.
      connection.destroy();
      socket.destroy();
    }
  }
}

/** Rejects when the signal is aborted: mysql2 does not answer every statement whose connection was closed. */
async function abortable<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
    // Its connection is closed, so that it fails later or never.
    work.catch(() => undefined);
  }
}

/** Locks the table against other syncs until the connection ends. Names of locks are those of the server, not of the database. */
async function lockTable(connection: Connection, database: string, table: string): Promise<void> {
  const name = createHash('sha256').update(`tidemark:${database}:${table}`).digest('hex');
  const [row] = await selectNamed<{ isHeld: number | null }>(connection, 'SELECT GET_LOCK(:name, :seconds) AS isHeld', {
    name,
    seconds: LOCK_SECONDS,
  });
  if (Number(row?.isHeld) !== 1) throw new DestinationError('temporary', `another sync is writing the table ${table}`);
}

async function writeLocked(connection: Connection, plan: SyncPlan, from: RowSource): Promise<SyncOutcome> {
  const counts = { read: 0, written: 0, unchanged: 0, deleted: 0, skipped: 0, bytes: 0 };
  const nothing = { ...counts, warnings: [], location: `table ${plan.table}` };
  await connection.query(CREATE_LEDGER);
  const known = await readLedger(connection, plan);
  if (known.written !== undefined) return { ...nothing, ...known.written, status: 'done' };
  if (plan.mode !== 'append' && plan.isFullRun && known.newest !== undefined && known.newest > plan.runAt)
    return { ...nothing, status: 'skipped' };
  const { columns, warnings } = await prepareTable(connection, plan);
  const staged = await stageRows(connection, { ...plan, columns }, from);
  await connection.query('START TRANSACTION');
  const change = async (sql: string, values: readonly unknown[] = []): Promise<number> => {
    const [result] = await connection.query<ResultSetHeader>({ sql, values: [...values], timeout: STATEMENT_MS });
    return result.affectedRows;
  };
  if (plan.mode === 'append') await change(deleteRun(plan.table), [plan.projectId, plan.runId]);
  const updated = plan.mode === 'append' ? 0 : await change(updateChanged(plan.table, staged.table, columns));
  const written = updated + (await change(insertMissing(plan.table, staged.table, columns)));
  const mayDelete = plan.mode === 'mirror' && plan.isWholeSite;
  const deleted = mayDelete ? await change(markDeleted(plan.table, staged.table), [plan.syncId, plan.projectId]) : 0;
  if (plan.mode === 'mirror' && !plan.isWholeSite)
    warnings.push('the run does not cover the whole site: no row was marked as deleted');
  const { read, skipped } = staged;
  await changeNamed(
    connection,
    `INSERT INTO ${LEDGER} (sync_id, table_name, project_id, dataset, run_id, run_at, mode, rows_read, rows_written, rows_deleted,
       rows_skipped, is_full_run, synced_at)
     VALUES (:syncId, :table, :projectId, :dataset, :runId, :runAt, :mode, :read, :written, :deleted, :skipped, :isFullRun, UTC_TIMESTAMP(3))`,
    {
      syncId: plan.syncId,
      table: plan.table,
      projectId: plan.projectId,
      dataset: plan.dataset,
      runId: plan.runId,
      runAt: plan.runAt,
      mode: plan.mode,
      read,
      written,
      deleted,
      skipped,
      isFullRun: plan.isFullRun,
    },
  );
  await connection.query('COMMIT');
  const unchanged = Math.max(0, read - written);
  return { ...nothing, status: 'done', read, written, unchanged, deleted, skipped, warnings };
}

interface LedgerRow {
  readonly sync_id: string;
  readonly run_at: Date;
  readonly rows_read: number | string | null;
  readonly rows_written: number | string | null;
  readonly rows_deleted: number | string | null;
  readonly rows_skipped: number | string;
}

/** Reads whether this sync is done, and the time of the newest run in the table. */
async function readLedger(connection: Connection, { syncId, table, projectId, dataset }: SyncPlan) {
  const [row] = await selectNamed<LedgerRow>(
    connection,
    `SELECT sync_id, run_at, rows_read, rows_written, rows_deleted, rows_skipped FROM ${LEDGER}
     WHERE sync_id = :syncId OR (table_name = :table AND project_id = :projectId AND dataset = :dataset AND is_full_run)
     ORDER BY sync_id = :syncId DESC, run_at DESC LIMIT 1`,
    { syncId, table, projectId, dataset },
  );
  if (row === undefined) return {};
  if (row.sync_id !== syncId) return { newest: new Date(row.run_at) };
  const [read, written, deleted] = [Number(row.rows_read), Number(row.rows_written), Number(row.rows_deleted)];
  const skipped = Number(row.rows_skipped);
  return { written: { read, written, deleted, skipped, unchanged: Math.max(0, read - written) } };
}

/** Creates the table or adds the columns it lacks. A column of another type is left out with a warning; nothing is dropped or retyped. */
async function prepareTable(
  connection: Connection,
  { table, columns, freeze }: SyncPlan,
): Promise<{ columns: Column[]; warnings: string[] }> {
  await connection.query(createTable(table, columns));
  const rows = await selectNamed<{ name: string; type: string }>(
    connection,
    `SELECT COLUMN_NAME AS name, DATA_TYPE AS type FROM information_schema.COLUMNS
     WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = :table`,
    { table },
  );
  const existing = new Map(rows.map(({ name, type }) => [name, type.toLowerCase()]));
  const warnings: string[] = [];
  const usable: Column[] = [];
  for (const each of [...META_COLUMNS, ...columns]) {
    const type = existing.get(each.name);
    const isMeta = each.name.startsWith('_');
    if (type === undefined) {
      requireEvolving(freeze, each.name, table);
      await connection.query(`ALTER TABLE ${quoted(table)} ADD COLUMN ${quoted(each.name)} ${typeOf(each)} NULL`);
    } else if (!fits(each, type)) {
      const fault = `the column ${each.name} of the table has the type ${type}; expected ${typeOf(each).split(' ')[0]}`;
      if (isMeta || freeze)
        throw new DestinationError('invalid', `${fault}. Change the column or choose another table`);
      warnings.push(`${fault}: it was left out`);
      continue;
    }
    if (!isMeta) usable.push(each);
  }
  return { columns: usable, warnings };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
