import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { DatasetColumn as Column, DestinationMode } from '@tidemark/datasets';
import type { DialTcp } from '@tidemark/egress';
import { changeRows, selectRows, sql } from '@tidemark/sql';
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
import { createLedger, hasLedger, lock, readLedger, writeLedger } from './ledger.ts';
import { asDestinationError, dialServer, openClient, type PostgresSettings, signIn } from './open-client.ts';
import { append, createTable, deleteRun, fits, isLong, listed, markDeleted, quoted, typeOf, upsert } from './sql.ts';

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
      await changeRows(client, sql`CREATE TABLE _tidemark_test (id int)`);
      await changeRows(client, sql`INSERT INTO _tidemark_test VALUES (1)`);
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
    if (await hasLedger(client)) return;
    await createLedger(client);
    await client.query('COMMIT');
    await this.#begin(client);
  }

  async #begin(client: pg.Client): Promise<void> {
    await client.query('BEGIN');
    await changeRows(client, sql`SELECT set_config('search_path', ${quoted(this.#settings.schema)}, true)`);
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
  await lock(client, `tidemark:${plan.table}`);
  const known = await readLedger(client, plan);
  if (known.written !== undefined) return { ...nothing, ...known.written, status: 'done' };
  if (plan.mode !== 'append' && plan.isFullRun && known.newest !== undefined && known.newest > plan.runAt)
    return { ...nothing, status: 'skipped' };
  const { columns, warnings } = await prepareTable(client, plan);
  if (plan.mode !== 'append') await requireRowKey(client, plan.table);
  const { read, skipped } = await stage(client, { ...plan, columns }, source, attempt);
  if (plan.mode === 'append') await changeRows(client, deleteRun(plan));
  const merge = plan.mode === 'append' ? append(plan.table, columns) : upsert(plan.table, columns);
  const written = await changeRows(client, sql.raw(merge));
  const mayDelete = plan.mode === 'mirror' && plan.isWholeSite;
  const deleted = mayDelete ? await changeRows(client, markDeleted(plan)) : 0;
  if (plan.mode === 'mirror' && !plan.isWholeSite)
    warnings.push('the run does not cover the whole site: no row was marked as deleted');
  await writeLedger(client, plan, { read, written, deleted, skipped });
  const unchanged = Math.max(0, read - written);
  return { ...nothing, status: 'done', read, written, unchanged, deleted, skipped, warnings };
}

/** Creates the table or adds the columns it lacks. A column of another type is left out with a warning; nothing is dropped or retyped. */
async function prepareTable(
  client: pg.Client,
  { table, columns, freeze }: SyncPlan,
): Promise<{ columns: Column[]; warnings: string[] }> {
  await changeRows(client, sql.raw(createTable(table, columns)));
  const rows = await selectRows(
    client,
    sql<{ readonly name: string; readonly type: string }>`
      SELECT attname AS name, format_type(atttypid, NULL) AS type FROM pg_attribute
      WHERE attrelid = ${quoted(table)}::regclass AND attnum > 0 AND NOT attisdropped`,
  );
  const existing = new Map(rows.map(({ name, type }) => [name, type]));
  const warnings: string[] = [];
  const usable: Column[] = [];
  for (const each of [...META_COLUMNS, ...columns]) {
    const type = existing.get(each.name);
    const isMeta = each.name.startsWith('_');
    if (type === undefined) {
      requireEvolving(freeze, each.name, table);
      await changeRows(
        client,
        sql`ALTER TABLE ${sql.id(table)} ADD COLUMN ${sql.id(each.name)} ${sql.raw(typeOf(each))}`,
      );
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

/** Requires the key by which rows are updated. A table that a sync creates has it, one that was made by hand may not. @throws DestinationError */
async function requireRowKey(client: pg.Client, table: string): Promise<void> {
  const keys = await selectRows(
    client,
    sql<{ readonly name: string }>`
      SELECT a.attname AS name FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
      WHERE i.indrelid = ${quoted(table)}::regclass AND a.attname = '_row_id' AND i.indnkeyatts = 1
        AND i.indisunique AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL`,
  );
  if (keys.length > 0) return;
  throw new DestinationError(
    'invalid',
    `the table ${table} lacks the key _row_id, by which rows are updated. Run ALTER TABLE ${quoted(table)} ADD COLUMN IF NOT EXISTS _row_id text, ADD UNIQUE (_row_id), choose another table, or set mode to append`,
  );
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
  await changeRows(client, sql`CREATE TEMP TABLE _staged (${sql.raw(defined)}) ON COMMIT DROP`);
  const uncompressed = columns.filter((each) => isLong(each)).map(({ name }) => sql.id(name));
  // Compression would be undone when a row is compared; rows that are inserted are compressed by the table.
  if (uncompressed.length > 0)
    await changeRows(
      client,
      sql`ALTER TABLE pg_temp._staged ${sql.join(uncompressed.map((name) => sql`ALTER ${name} SET STORAGE EXTERNAL`))}`,
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
