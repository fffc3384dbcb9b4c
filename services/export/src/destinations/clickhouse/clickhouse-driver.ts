import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { DatasetColumn as Column, DestinationMode } from '@tidemark/datasets';
import type { DialTcp } from '@tidemark/egress';
import { dialFailure } from '../dial-failure.ts';
import type { Driver, SyncAttempt, SyncOutcome, SyncPlan, SyncSource, TestStep } from '../driver.ts';
import { META_COLUMNS, makeMetaValues } from '../meta-columns.ts';
import { ClickhouseClient, type ClickhouseSettings, literal } from './clickhouse-client.ts';
import { jsonLine } from './json-line.ts';
import { type LedgerEntry, newestRun, readEntry, writeEntry } from './ledger.ts';
import { prepareTable } from './prepare-table.ts';
import {
  countChanged,
  countMissing,
  countStaged,
  createLedger,
  createStaging,
  insertChanged,
  insertStaged,
  LEDGER,
  listed,
  type Merge,
  markDeleted,
  removeRun,
} from './sql.ts';

/** Bytes of one INSERT. */
const INSERT_BYTES = 4 * 1024 * 1024;
const STAGED = '_tidemark_staged_';

/**
 * Writes to ClickHouse, which has no transactions. Rows are staged in a table of their own; each merge is one INSERT … SELECT whose
 * repetition has no effect, since rows with one id and version are one row. Its counts are in the ledger before it starts.
 */
export class ClickhouseDriver implements Driver {
  readonly #settings: ClickhouseSettings;
  readonly #dial: DialTcp;

  constructor(settings: ClickhouseSettings, dial: DialTcp) {
    this.#settings = settings;
    this.#dial = dial;
  }

  async *test(mode: DestinationMode, signal: AbortSignal): AsyncGenerator<TestStep> {
    const { host, port, user } = this.#settings;
    let socket: Socket;
    try {
      socket = await this.#dial({ host, port }, { signal });
    } catch (error) {
      yield* dialFailure(error);
      return;
    }
    socket.destroy();
    yield { name: 'address', ok: true, message: 'the address is allowed' };
    yield { name: 'connect', ok: true, message: `connected to port ${port}` };
    const client = new ClickhouseClient(this.#settings, this.#dial);
    const table = client.table(`_tidemark_test_${randomBytes(6).toString('hex')}`);
    let name: TestStep['name'] = 'sign_in';
    try {
      await client.query('SELECT 1 AS one', signal);
      yield { name, ok: true, message: `signed in as ${user}` };
      name = 'write';
      await client.run(`CREATE TABLE ${table} (id UInt8) ENGINE = MergeTree ORDER BY id`, signal);
      try {
        await client.run(`INSERT INTO ${table} SELECT 1`, signal);
      } finally {
        await client.run(`DROP TABLE ${table}`, signal);
      }
      yield { name, ok: true, message: 'a table can be created, written and dropped' };
      yield { name: 'mode', ok: true, message: `${mode} is supported` };
    } catch (error) {
      yield { name, ok: false, message: error instanceof Error ? error.message : String(error) };
    } finally {
      await client.close();
    }
  }

  async write(plan: SyncPlan, source: SyncSource, attempt: SyncAttempt): Promise<SyncOutcome> {
    const client = new ClickhouseClient(this.#settings, this.#dial);
    try {
      return await new OneSync(client, plan, attempt).run(source);
    } catch (error) {
      throw attempt.signal.aborted ? attempt.signal.reason : error;
    } finally {
      await client.close();
    }
  }
}

/** Rows that were read, and rows that were left out before. */
type Counts = Pick<LedgerEntry, 'read' | 'skipped'>;

class OneSync {
  readonly #client: ClickhouseClient;
  readonly #plan: SyncPlan;
  readonly #attempt: SyncAttempt;
  readonly #staging: string;

  constructor(client: ClickhouseClient, plan: SyncPlan, attempt: SyncAttempt) {
    this.#client = client;
    this.#plan = plan;
    this.#attempt = attempt;
    this.#staging = client.table(`${STAGED}${randomBytes(8).toString('hex')}`);
  }

  async run(source: SyncSource): Promise<SyncOutcome> {
    const { signal } = this.#attempt;
    const plan = this.#plan;
    const counts = { read: 0, written: 0, unchanged: 0, deleted: 0, skipped: 0, bytes: 0 };
    const nothing = { ...counts, warnings: [], location: `table ${plan.table}` };
    const ledger = this.#client.table(LEDGER);
    await this.#client.run(createLedger(ledger), signal);
    await this.#dropAbandoned();
    const known = await readEntry(this.#client, plan, signal);
    if (known?.isDone === true) return outcomeOf(nothing, known);
    const newest = await newestRun(this.#client, plan, signal);
    if (plan.mode !== 'append' && plan.isFullRun && newest !== undefined && newest > plan.runAt)
      return { ...nothing, status: 'skipped' };
    const { columns, existing, warnings } = await prepareTable(this.#client, plan, signal);
    try {
      const staged = await this.#stage(columns, source);
      const entry = await this.#merge({ columns, existing, ...staged }, known);
      await writeEntry(this.#client, plan, { ...entry, isDone: true }, signal);
      if (plan.mode === 'mirror' && !plan.isWholeSite)
        warnings.push('the run does not cover the whole site: no row was marked as deleted');
      return { ...outcomeOf(nothing, entry), warnings };
    } finally {
      await this.#client
        .run(`DROP TABLE IF EXISTS ${this.#staging}`, AbortSignal.timeout(30_000))
        .catch(() => undefined);
    }
  }

  /** Merges the staged rows. The counts and the version of an attempt that did not end are used again. */
  async #merge(
    { columns, existing, read, skipped }: Counts & { columns: readonly Column[]; existing: readonly string[] },
    known: LedgerEntry | undefined,
  ): Promise<LedgerEntry> {
    const { signal } = this.#attempt;
    const { projectId, runId, syncId, table, mode, isWholeSite } = this.#plan;
    const target = this.#client.table(table);
    const ids = { projectId, runId, syncId };
    const version = known?.version ?? Math.max(Date.now(), (await this.#highestVersion(target)) + 1);
    const merge: Merge = { table: target, staging: this.#staging, ...ids, columns, existing, version };
    const mayDelete = mode === 'mirror' && isWholeSite;
    const entry = known ?? {
      read,
      skipped,
      version,
      isDone: false,
      written: await this.#count(mode === 'append' ? countStaged(merge) : countChanged(merge)),
      deleted: mayDelete ? await this.#count(countMissing(merge)) : 0,
    };
    if (known === undefined) await writeEntry(this.#client, this.#plan, entry, signal);
    if (mode === 'append') await this.#client.run(removeRun(merge), signal);
    await this.#client.run(mode === 'append' ? insertStaged(merge) : insertChanged(merge), signal);
    if (mayDelete) await this.#client.run(markDeleted(merge), signal);
    return entry;
  }

  /** Drops staging tables of attempts that were killed more than a day ago. */
  async #dropAbandoned(): Promise<void> {
    const { signal } = this.#attempt;
    const rows = await this.#client.query(
      `SELECT name FROM system.tables WHERE database = ${literal(this.#client.database)} AND startsWith(name, ${literal(STAGED)})
       AND metadata_modification_time < now() - INTERVAL 1 DAY LIMIT 100`,
      signal,
    );
    for (const { name } of rows)
      await this.#client.run(`DROP TABLE IF EXISTS ${this.#client.table(String(name))}`, signal);
  }

  async #count(sql: string): Promise<number> {
    const [row] = await this.#client.query(sql, this.#attempt.signal);
    return Number(row?.['n'] ?? 0);
  }

  #highestVersion(table: string): Promise<number> {
    return this.#count(`SELECT max(_version) AS n FROM ${table}`);
  }

  async #stage(columns: readonly Column[], source: SyncSource): Promise<Counts> {
    const { signal } = this.#attempt;
    const staged = [...META_COLUMNS, ...columns];
    await this.#client.run(createStaging(this.#staging, columns), signal);
    const sql = `INSERT INTO ${this.#staging} (${listed(staged.map(({ name }) => name))})`;
    const metaValues = makeMetaValues(this.#plan, new Date());
    let read = 0;
    let skipped = 0;
    let lines: Buffer[] = [];
    let bytes = 0;
    const flush = async (): Promise<void> => {
      if (lines.length > 0) await this.#client.insert(sql, Buffer.concat(lines), signal);
      lines = [];
      bytes = 0;
    };
    for await (const { rows, skipped: left = 0 } of source.read(0)) {
      read += rows.length;
      skipped += left;
      this.#attempt.reportProgress(read);
      for (const row of rows) {
        const values = [...metaValues(row), ...columns.map(({ name }) => row.values[name])];
        const line = jsonLine(values, staged);
        lines.push(line);
        bytes += line.length;
        if (bytes >= INSERT_BYTES) await flush();
      }
    }
    await flush();
    return { read, skipped };
  }
}

function outcomeOf(nothing: Omit<SyncOutcome, 'status'>, entry: LedgerEntry): SyncOutcome {
  const { read, written, deleted, skipped } = entry;
  return { ...nothing, status: 'done', read, written, deleted, skipped, unchanged: Math.max(0, read - written) };
}
