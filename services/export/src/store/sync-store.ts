import { events, newId } from '@tidemark/contracts';
import { type OutgoingEvent, outgoingEvent, writeEvents } from '@tidemark/service';
import { changeRows, column, type Params, selectRow, sql, stateOf } from '@tidemark/sql';
import type pg from 'pg';
import { type Destination, MAX_FAILURES } from '../domain/destination.ts';
import {
  type EndedStatus,
  SYNC_TRANSITIONS,
  type Sync,
  type SyncFailure,
  type SyncSubject,
  type SyncTrigger,
} from '../domain/sync.ts';
import { toWireSync } from '../wire/to-wire-sync.ts';
import { SYNC_COLUMNS, toSync } from './sync-row.ts';
import { schema, tables } from './tables.ts';

/** The result of a sync. */
export interface SyncEnd {
  readonly status: EndedStatus;
  readonly counts: Pick<Sync, 'read' | 'written' | 'unchanged' | 'deleted' | 'skipped' | 'bytes'>;
  readonly location: string;
  readonly warnings: readonly string[];
  readonly failure: SyncFailure | undefined;
}

export interface NewSync extends SyncSubject {
  readonly workspaceId: string;
  readonly trigger: SyncTrigger;
  readonly requestId: string;
}

/** Most warnings that are stored with a sync. */
const MAX_WARNINGS = 100;

interface QueuedValues extends NewSync {
  readonly ids: readonly string[];
  readonly destinationIds: readonly string[];
}

const ENQUEUE = schema.prepareText(
  'enqueue-syncs',
  { id: column('text') },
  (values: Params<QueuedValues>) => sql`
    INSERT INTO syncs (id, workspace_id, destination_id, project_id, source_kind, source_id, dataset, mode, trigger, run_at, is_full_run,
      pages, status, lease_until, request_id, created_at)
    SELECT n.id, ${values.workspaceId}, d.id, ${values.projectId}, ${values.sourceKind}, ${values.sourceId}, d.dataset, d.mode,
      ${values.trigger}, ${values.runAt}, ${values.isFullRun}, ${values.pages}, 'queued', now() - interval '1 second', ${values.requestId}, now()
    FROM unnest(${values.ids}::text[], ${values.destinationIds}::text[]) AS n(id, destination_id)
    JOIN destinations d ON d.id = n.destination_id AND d.status = 'active' AND d.connection_id IS NOT NULL
    ON CONFLICT (destination_id, source_id, dataset) WHERE trigger <> 'manual' DO NOTHING RETURNING id`,
);

/** Creates a queued sync for each destination. A run or a job that was queued for a destination before is not queued again. @returns their ids */
export async function enqueueSyncs(
  client: pg.Pool | pg.PoolClient,
  destinations: readonly Destination[],
  sync: NewSync,
): Promise<string[]> {
  const rows = await ENQUEUE.rows(client, {
    ...sync,
    ids: destinations.map(() => newId('syn')),
    destinationIds: destinations.map(({ id }) => id),
  });
  return rows.map(({ id }) => id);
}

interface EndValues extends Omit<SyncEnd, 'counts' | 'failure'> {
  readonly id: string;
  readonly owner: string;
  readonly read: number;
  readonly written: number;
  readonly unchanged: number;
  readonly deleted: number;
  readonly skipped: number;
  readonly bytes: number;
  readonly failure: string | null;
}

const RUNNING = sql.lit(SYNC_TRANSITIONS.claim.to);
const END = schema.prepareText(
  'end-sync',
  SYNC_COLUMNS,
  (end: Params<EndValues>) => sql`
    UPDATE syncs SET status = ${end.status}, read = ${end.read}, written = ${end.written}, unchanged = ${end.unchanged}, deleted = ${end.deleted},
      skipped = ${end.skipped}, bytes = ${end.bytes}, location = ${end.location}, warnings = ${end.warnings}, error = ${end.failure},
      ended_at = now(), owner = NULL
    WHERE id = ${end.id} AND owner = ${end.owner} AND status = ${RUNNING}
    RETURNING ${sql.join(Object.keys(SYNC_COLUMNS).map((name) => sql.ref(name)))}`,
);

/**
 * Ends a sync of this instance, and pauses its destination after a refused sign-in or too many failures in a row; its other syncs are then
 * cancelled. The event is written in the same transaction. @returns the events; undefined if the sync is no longer held by `owner`
 */
export async function endSync(
  client: pg.PoolClient,
  { id, owner }: { readonly id: string; readonly owner: string },
  { status, counts, location, warnings, failure }: SyncEnd,
): Promise<readonly OutgoingEvent[] | undefined> {
  const row = await END.row(client, {
    ...counts,
    id,
    owner,
    status,
    location,
    warnings: warnings.slice(0, MAX_WARNINGS),
    failure: failure === undefined ? null : JSON.stringify(failure),
  });
  if (row === undefined) return undefined;
  const sync = toSync(row);
  if (status !== 'done' && status !== 'error') return [];
  const destination = await noteResult(client, sync);
  if (sync.projectId === '' || destination === undefined) return [];
  const ended = [
    outgoingEvent(events.syncEnded, `sync:${sync.id}`, {
      workspaceId: sync.workspaceId,
      projectId: sync.projectId,
      at: sync.endedAt,
      sync: toWireSync(sync),

      destinationName: destination.name,
      pausedReason: destination.pausedReason,
    }),
  ];
  await writeEvents(client, ended);
  return ended;
}

interface FailureValues {
  readonly destinationId: string;
  readonly isRefused: boolean;
  readonly reason: string;
}

const NOTE_FAILURE = schema.prepareText(
  'note-failed-sync',
  { name: column('text'), status: stateOf<Destination['status']>() },
  ({ destinationId, isRefused, reason }: Params<FailureValues>) => {
    const isPaused = sql`(${isRefused}::boolean OR failures + 1 >= ${sql.lit(MAX_FAILURES)})`;
    return sql`
      UPDATE destinations SET failures = failures + 1,
        status = CASE WHEN ${isPaused} THEN 'paused' ELSE status END,
        paused_reason = CASE WHEN status = 'active' AND ${isPaused} THEN ${reason} ELSE paused_reason END
      WHERE id = ${destinationId} RETURNING name, status`;
  },
);

/** Counts the failures of a destination, and pauses it. @returns its name and why it was paused now; undefined if it was deleted */
async function noteResult(
  client: pg.PoolClient,
  { destinationId, failure }: Sync,
): Promise<{ readonly name: string; readonly pausedReason: string | undefined } | undefined> {
  if (failure === undefined) {
    const row = await selectRow(
      client,
      tables.updateTable('destinations').set({ failures: 0 }).where('id', '=', destinationId).returning('name'),
    );
    return row && { name: row.name, pausedReason: undefined };
  }
  const why = failure.code === 'refused' ? 'a sync was refused' : `${MAX_FAILURES} syncs in a row failed`;
  const row = await NOTE_FAILURE.row(client, {
    destinationId,
    isRefused: failure.code === 'refused',
    reason: `${why}: ${failure.message}`.slice(0, 500),
  });
  if (row === undefined) return undefined;
  if (row.status !== 'paused') return { name: row.name, pausedReason: undefined };
  await cancelQueued(client, destinationId, 'the destination is paused');
  return { name: row.name, pausedReason: why };
}

/** Cancels the waiting syncs of a destination. */
export async function cancelQueued(
  client: pg.Pool | pg.PoolClient,
  destinationId: string,
  message: string,
): Promise<void> {
  const failure: SyncFailure = { code: 'invalid', message, hint: 'Set the status of the destination to active.' };
  await changeRows(
    client,
    tables
      .updateTable('syncs')
      .set({ status: SYNC_TRANSITIONS.cancel.to, ended_at: sql<Date>`now()`, error: JSON.stringify(failure) })
      .where('destination_id', '=', destinationId)
      .where('status', '=', 'queued'),
  );
}

interface RetryValues {
  readonly id: string;
  readonly owner: string;
  readonly failure: string;
  readonly seconds: number;
}

const RETRY = schema.prepareText(
  'retry-sync',
  {},
  ({ id, owner, failure, seconds }: Params<RetryValues>) => sql`
    WITH d AS MATERIALIZED (
      SELECT id, status FROM destinations WHERE id = (SELECT destination_id FROM syncs WHERE id = ${id}) FOR SHARE)
    UPDATE syncs s SET owner = NULL, claims = 0, error = ${failure},
      status = CASE WHEN d.status = 'paused' THEN ${sql.lit(SYNC_TRANSITIONS.cancel.to)} ELSE ${sql.lit(SYNC_TRANSITIONS.release.to)} END,
      ended_at = CASE WHEN d.status = 'paused' THEN now() END, lease_until = now() + make_interval(secs => ${seconds})
    FROM d WHERE s.id = ${id} AND s.owner = ${owner} AND s.status = ${RUNNING} AND d.id = s.destination_id`,
);

/**
 * Schedules another attempt at a sync of this instance; cancels it if its destination was paused meanwhile. The row of the destination is locked first:
 * a pause that is not yet committed does not find the running sync, so its commit is waited for. @returns false if the sync is no longer held
 */
export function retrySync(
  pool: pg.Pool,
  { id, owner }: { readonly id: string; readonly owner: string },
  failure: SyncFailure,
  seconds: number,
): Promise<boolean> {
  return RETRY.changesRow(pool, { id, owner, failure: JSON.stringify(failure), seconds });
}
