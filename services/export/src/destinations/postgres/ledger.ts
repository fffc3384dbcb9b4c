import { type ColumnType, changeRows, type Generated, Schema, selectRow, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { SyncPlan } from '../driver.ts';
import { CREATE_LEDGER, LEDGER } from './sql.ts';

type Count = ColumnType<string | null, number, number>;

/** The ledger, in the user's database: which syncs are done. */
interface LedgerTables {
  readonly [LEDGER]: {
    readonly sync_id: string;
    readonly table_name: string;
    readonly project_id: string;
    readonly dataset: string;
    readonly run_id: string;
    readonly run_at: Date;
    readonly mode: string;
    readonly rows_read: Count;
    readonly rows_written: Count;
    readonly rows_deleted: Count;
    readonly rows_skipped: Count;
    readonly is_full_run: boolean;
    readonly synced_at: Generated<Date>;
  };
}

const { tables } = new Schema<LedgerTables>();

/** Returns whether the ledger exists in the schema of the session. */
export async function hasLedger(client: pg.Client): Promise<boolean> {
  const row = await selectRow(client, sql<{ found: string | null }>`SELECT to_regclass(${LEDGER})::text AS found`);
  return row?.found != null;
}

/** Creates the ledger unless another sync does so at the same time. */
export async function createLedger(client: pg.Client): Promise<void> {
  await lock(client, 'tidemark:ledger');
  await changeRows(client, sql.raw(CREATE_LEDGER));
}

/** Takes an advisory lock until the end of the transaction. Not prepared: the user's server may be behind a pool of connections. */
export async function lock(client: pg.Client, key: string): Promise<void> {
  await changeRows(client, sql`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`);
}

/** Reads whether this sync is done, and the time of the newest run in the table. */
export async function readLedger(client: pg.Client, { syncId, table, projectId, dataset }: SyncPlan) {
  const row = await selectRow(
    client,
    tables
      .selectFrom(LEDGER)
      .select([
        'sync_id',
        'run_at',
        'rows_read as read',
        'rows_written as written',
        'rows_deleted as deleted',
        'rows_skipped as skipped',
      ])
      .where((where) =>
        where.or([
          where('sync_id', '=', syncId),
          where.and({ table_name: table, project_id: projectId, dataset, is_full_run: true }),
        ]),
      )
      .orderBy(sql<boolean>`sync_id = ${syncId}`, 'desc')
      .orderBy('run_at', 'desc')
      .limit(1),
  );
  if (row === undefined) return {};
  if (row.sync_id !== syncId) return { newest: row.run_at };
  const [read, written, deleted] = [Number(row.read), Number(row.written), Number(row.deleted)];
  const skipped = Number(row.skipped);
  return { written: { read, written, deleted, skipped, unchanged: Math.max(0, read - written) } };
}

/** Records that a sync is done. */
export async function writeLedger(
  client: pg.Client,
  plan: SyncPlan,
  counts: { readonly read: number; readonly written: number; readonly deleted: number; readonly skipped: number },
): Promise<void> {
  await changeRows(
    client,
    tables.insertInto(LEDGER).values({
      sync_id: plan.syncId,
      table_name: plan.table,
      project_id: plan.projectId,
      dataset: plan.dataset,
      run_id: plan.runId,
      run_at: plan.runAt,
      mode: plan.mode,
      rows_read: counts.read,
      rows_written: counts.written,
      rows_deleted: counts.deleted,
      rows_skipped: counts.skipped,
      is_full_run: plan.isFullRun,
    }),
  );
}
