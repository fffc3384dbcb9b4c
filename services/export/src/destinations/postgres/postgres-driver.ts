import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DatasetColumn as Column, DestinationMode } from '@tidemark/datasets';
import type { DialTcp } from '@tidemark/egress';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
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
import { makeLineEncoder } from '../tab-separated.ts';
import { copyCell } from './copy-text.ts';
import { asDestinationError, dialServer, openClient, type PostgresSettings, signIn } from './open-client.ts';
import {
  append,
  CREATE_LEDGER,
  createTable,
  deleteRun,
  fits,
  isLong,
  LEDGER,
  listed,
  markDeleted,
  quoted,
  typeOf,
  upsert,
} from './sql.ts';

/** Writes to a PostgreSQL database. Staging, merge and ledger are one transaction of that database. */
export class PostgresDriver implements Driver {
  readonly #settings: PostgresSettings;
  readonly #dial: DialTcp;

  constructor(settings: PostgresSettings, dial: DialTcp) {
    this.#settings = settings;
    this.#dial = dial;
  }

  async *test(mode: DestinationMode, signal: AbortSignal): AsyncGenerator<TestStep> {
    let socket: Socket;
    try {
      socket = await dialServer(this.#settings, this.#dial, signal);
    } catch (error) {
      yield* dialFailure(error);
      return;
    }
    yield { name: 'address', ok: true, message: 'the address is allowed' };
    yield { name: 'connect', ok: true, message: `connected to port ${this.#settings.port}` };
    let client: pg.Client;
    try {
      client = await signIn(this.#settings, socket);
    } catch (error) {
      return yield { name: 'sign_in', ok: false, message: messageOf(error) };
    }
    yield { name: 'sign_in', ok: true, message: `signed in as ${this.#settings.user}` };
    try {
      await this.#begin(client);
      await client.query('CREATE TABLE _tidemark_test (id int)');
      await client.query('INSERT INTO _tidemark_test VALUES (1)');
      yield { name: 'write', ok: true, message: 'a table can be created and written' };
      yield { name: 'mode', ok: true, message: `${mode} is supported` };
    } catch (error) {
      yield { name: 'write', ok: false, message: messageOf(asDestinationError(error)) };
    } finally {
      await client.query('ROLLBACK').catch(() => undefined);
      await client.end().catch(() => undefined);
    }
  }

  async write(plan: SyncPlan, source: SyncSource, attempt: SyncAttempt): Promise<SyncOutcome> {
    const client = await openClient(this.#settings, this.#dial, attempt.signal);
    // A statement that waits for a lock or for the server does not end by itself when the attempt is aborted.
    const abort = (): void => void client.connection.stream.destroy();
    attempt.signal.addEventListener('abort', abort, { once: true });
    try {
      await this.#beginWithLedger(client);
      const outcome = await writeInTransaction(client, plan, source, attempt);
      await client.query('COMMIT');
      return outcome;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw attempt.signal.aborted ? attempt.signal.reason : asDestinationError(error);
    } finally {
      attempt.signal.removeEventListener('abort', abort);
      await client.end().catch(() => undefined);
    }
  }

  /**
   * Begins the transaction of a sync. A ledger that does not exist is created in a transaction before: created in that of a sync, it would
   * block every other sync of the database until that sync ends.
   */
  async #beginWithLedger(client: pg.Client): Promise<void> {
    await this.#begin(client);
    const { rows } = await client.query<{ found: string | null }>(`SELECT to_regclass('${LEDGER}')::text AS found`);
    if (rows[0]?.found != null) return;
    await client.query("SELECT pg_advisory_xact_lock(hashtextextended('tidemark:ledger', 0))");
    await client.query(CREATE_LEDGER);
    await client.query('COMMIT');
    await this.#begin(client);
  }

  async #begin(client: pg.Client): Promise<void> {
    await client.query('BEGIN');
    await client.query("SELECT set_config('search_path', $1, true)", [quoted(this.#settings.schema)]);
  }
}

const LOCATION = (plan: SyncPlan): string => `table ${plan.table}`;

async function writeInTransaction(
  client: pg.Client,
  plan: SyncPlan,
  source: SyncSource,
  attempt: SyncAttempt,
): Promise<SyncOutcome> {
  const counts = { read: 0, written: 0, unchanged: 0, deleted: 0, skipped: 0, bytes: 0 };
  const nothing = { ...counts, warnings: [], location: LOCATION(plan) };
  await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`tidemark:${plan.table}`]);
  const known = await readLedger(client, plan);
  if (known.written !== undefined) return { ...nothing, ...known.written, status: 'done' };
  if (plan.mode !== 'append' && plan.isFullRun && known.newest !== undefined && known.newest > plan.runAt)
    return { ...nothing, status: 'skipped' };
  const { columns, warnings } = await prepareTable(client, plan);
  const { read, skipped } = await stage(client, { ...plan, columns }, source, attempt);
  if (plan.mode === 'append') await client.query(deleteRun(plan.table), [plan.runId, plan.projectId]);
  const merge = plan.mode === 'append' ? append(plan.table, columns) : upsert(plan.table, columns);
  const written = (await client.query(merge)).rowCount ?? 0;
  const mayDelete = plan.mode === 'mirror' && plan.isWholeSite;
  const deleted = mayDelete
    ? ((await client.query(markDeleted(plan.table), [plan.projectId, plan.syncId])).rowCount ?? 0)
    : 0;
  if (plan.mode === 'mirror' && !plan.isWholeSite)
    warnings.push('the run does not cover the whole site: no row was marked as deleted');
  await client.query(
    `INSERT INTO ${LEDGER} (sync_id, table_name, project_id, dataset, run_id, run_at, mode, rows_read, rows_written, rows_deleted,
       rows_skipped, is_full_run) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      plan.syncId,
      plan.table,
      plan.projectId,
      plan.dataset,
      plan.runId,
      plan.runAt,
      plan.mode,
      read,
      written,
      deleted,
      skipped,
      plan.isFullRun,
    ],
  );
  const unchanged = Math.max(0, read - written);
  return { ...nothing, status: 'done', read, written, unchanged, deleted, skipped, warnings };
}

/** Reads whether this sync is done, and the time of the newest run in the table. */
async function readLedger(client: pg.Client, { syncId, table, projectId, dataset }: SyncPlan) {
  const { rows } = await client.query<{
    sync_id: string;
    run_at: Date;
    read: string;
    written: string;
    deleted: string;
    skipped: string;
  }>(
    `SELECT sync_id, run_at, rows_read AS read, rows_written AS written, rows_deleted AS deleted, rows_skipped AS skipped
     FROM ${LEDGER}
     WHERE sync_id = $1 OR (table_name = $2 AND project_id = $3 AND dataset = $4 AND is_full_run) ORDER BY sync_id = $1 DESC, run_at DESC LIMIT 1`,
    [syncId, table, projectId, dataset],
  );
  const [row] = rows;
  if (row === undefined) return {};
  if (row.sync_id !== syncId) return { newest: row.run_at };
  const [read, written, deleted] = [Number(row.read), Number(row.written), Number(row.deleted)];
  const skipped = Number(row.skipped);
  return { written: { read, written, deleted, skipped, unchanged: Math.max(0, read - written) } };
}

/** Creates the table or adds the columns it lacks. A column of another type is left out with a warning; nothing is dropped or retyped. */
async function prepareTable(
  client: pg.Client,
  { table, columns, freeze }: SyncPlan,
): Promise<{ columns: Column[]; warnings: string[] }> {
  await client.query(createTable(table, columns));
  const { rows } = await client.query<{ name: string; type: string }>(
    `SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [quoted(table)],
  );
  const existing = new Map(rows.map(({ name, type }) => [name, type]));
  const warnings: string[] = [];
  const usable: Column[] = [];
  for (const each of [...META_COLUMNS, ...columns]) {
    const type = existing.get(each.name);
    const isMeta = each.name.startsWith('_');
    if (type === undefined) {
      requireEvolving(freeze, each.name, table);
      await client.query(`ALTER TABLE ${quoted(table)} ADD COLUMN ${quoted(each.name)} ${typeOf(each)}`);
    } else if (!fits(each, type)) {
      const fault = `the column ${each.name} of the table has the type ${type}; expected ${typeOf(each)}`;
      if (isMeta || freeze)
        throw new DestinationError('invalid', `${fault}. Change the column or choose another table`);
      warnings.push(`${fault}: it was left out`);
      continue;
    }
    if (!isMeta) usable.push(each);
  }
  return { columns: usable, warnings };
}

/** Copies the rows to a temporary table. @returns their number, and that of the rows left out */
async function stage(
  client: pg.Client,
  plan: SyncPlan,
  source: SyncSource,
  attempt: SyncAttempt,
): Promise<{ readonly read: number; readonly skipped: number }> {
  const columns = [...META_COLUMNS, ...plan.columns];
  const defined = columns.map((each) => `${quoted(each.name)} ${typeOf(each)}`).join(', ');
  await client.query(`CREATE TEMP TABLE _staged (${defined}) ON COMMIT DROP`);
  const uncompressed = columns.filter((each) => isLong(each)).map(({ name }) => quoted(name));
  // Compression would be undone when a row is compared; rows that are inserted are compressed by the table.
  if (uncompressed.length > 0)
    await client.query(
      `ALTER TABLE pg_temp._staged ${uncompressed.map((name) => `ALTER ${name} SET STORAGE EXTERNAL`).join(', ')}`,
    );
  let read = 0;
  let skipped = 0;
  const encode = makeLineEncoder(plan, copyCell);
  async function* lines(): AsyncGenerator<Buffer> {
    for await (const { rows, skipped: left = 0 } of source.read(0)) {
      read += rows.length;
      skipped += left;
      attempt.reportProgress(read);
      for (const chunk of encode(rows)) {
        yield chunk;
        attempt.reportProgress(read);
      }
    }
  }
  const copy = client.query(copyFrom(`COPY pg_temp._staged (${listed(columns)}) FROM STDIN`));
  await pipeline(Readable.from(lines(), { objectMode: false }), copy, { signal: attempt.signal });
  return { read, skipped };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
