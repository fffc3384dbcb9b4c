import type { SyncPlan } from '../driver.ts';
import { type ClickhouseClient, literal } from './clickhouse-client.ts';
import { timeText } from './json-line.ts';
import { LEDGER } from './sql.ts';

/** What the ledger records of a sync: its counts before the merge, and that it is done after it. */
export interface LedgerEntry {
  readonly read: number;
  readonly written: number;
  readonly deleted: number;
  readonly skipped: number;
  readonly version: number;
  readonly isDone: boolean;
}

export async function readEntry(
  client: ClickhouseClient,
  { syncId }: SyncPlan,
  signal: AbortSignal,
): Promise<LedgerEntry | undefined> {
  const [row] = await client.query(
    `SELECT rows_read, rows_written, rows_deleted, rows_skipped, version, is_done FROM ${client.table(LEDGER)} FINAL WHERE sync_id = ${literal(syncId)}`,
    signal,
  );
  if (row === undefined) return undefined;
  const [read, written, deleted] = [Number(row['rows_read']), Number(row['rows_written']), Number(row['rows_deleted'])];
  const skipped = Number(row['rows_skipped']);
  return { read, written, deleted, skipped, version: Number(row['version']), isDone: Number(row['is_done']) === 1 };
}

/** Returns the time of the newest full run in the table. */
export async function newestRun(
  client: ClickhouseClient,
  { table, projectId, dataset }: SyncPlan,
  signal: AbortSignal,
): Promise<Date | undefined> {
  const [row] = await client.query(
    `SELECT toUnixTimestamp64Milli(max(run_at)) AS at, count() AS n FROM ${client.table(LEDGER)} FINAL WHERE is_done AND is_full_run
     AND table_name = ${literal(table)} AND project_id = ${literal(projectId)} AND dataset = ${literal(dataset)}`,
    signal,
  );
  return Number(row?.['n'] ?? 0) === 0 ? undefined : new Date(Number(row?.['at']));
}

export async function writeEntry(
  client: ClickhouseClient,
  plan: SyncPlan,
  entry: LedgerEntry,
  signal: AbortSignal,
): Promise<void> {
  const row = {
    sync_id: plan.syncId,
    table_name: plan.table,
    project_id: plan.projectId,
    dataset: plan.dataset,

    run_id: plan.runId,
    run_at: timeText(plan.runAt),
    mode: plan.mode,
    is_full_run: plan.isFullRun ? 1 : 0,

    rows_read: entry.read,
    rows_written: entry.written,
    rows_deleted: entry.deleted,
    rows_skipped: entry.skipped,

    version: entry.version,
    is_done: entry.isDone ? 1 : 0,
    synced_at: timeText(new Date()),
  };
  const names = Object.keys(row).join(', ');
  await client.insert(
    `INSERT INTO ${client.table(LEDGER)} (${names})`,
    Buffer.from(`${JSON.stringify(row)}\n`),
    signal,
  );
}
