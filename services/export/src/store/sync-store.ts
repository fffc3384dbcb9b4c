import { events, newId } from '@tidemark/contracts';
import { type OutgoingEvent, outgoingEvent, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { type Destination, MAX_FAILURES } from '../domain/destination.ts';
import type { Sync, SyncFailure, SyncStatus, SyncSubject, SyncTrigger } from '../domain/sync.ts';
import { toWireSync } from '../wire/to-wire-sync.ts';
import { type SyncRecord, toSync } from './sync-row.ts';

/** The result of a sync. */
export interface SyncEnd {
  readonly status: Extract<SyncStatus, 'done' | 'error' | 'cancelled' | 'skipped'>;
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

/** Creates a queued sync for each destination. A run or a job that was queued for a destination before is not queued again. @returns their ids */
export async function enqueueSyncs(
  client: pg.Pool | pg.PoolClient,
  destinations: readonly Destination[],
  { workspaceId, trigger, requestId, ...subject }: NewSync,
): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>({
    name: 'enqueue-syncs',
    text: `
      INSERT INTO syncs (id, workspace_id, destination_id, project_id, source_kind, source_id, dataset, mode, trigger, run_at, is_full_run,
        pages, status, lease_until, request_id, created_at)
      SELECT n.id, $3, d.id, $4, $5, $6, d.dataset, d.mode, $7, $8, $9, $11, 'queued', now() - interval '1 second', $10, now()
      FROM unnest($1::text[], $2::text[]) AS n(id, destination_id)
      JOIN destinations d ON d.id = n.destination_id AND d.status = 'active' AND d.connection_id IS NOT NULL
      ON CONFLICT (destination_id, source_id, dataset) WHERE trigger <> 'manual' DO NOTHING RETURNING id`,
    values: [
      destinations.map(() => newId('syn')),
      destinations.map(({ id }) => id),
      workspaceId,
      subject.projectId,
      subject.sourceKind,
      subject.sourceId,
      trigger,
      subject.runAt,
      subject.isFullRun,
      requestId,
      subject.pages,
    ],
  });
  return rows.map(({ id }) => id);
}

/**
 * Ends a sync of this instance, and pauses its destination after a refused sign-in or too many failures in a row; its other syncs are then
 * cancelled. The event is written in the same transaction. @returns the events; undefined if the sync is no longer held by `owner`
 */
export async function endSync(
  client: pg.PoolClient,
  { id, owner }: { readonly id: string; readonly owner: string },
  { status, counts, location, warnings, failure }: SyncEnd,
): Promise<readonly OutgoingEvent[] | undefined> {
  const { rows } = await client.query<SyncRecord>({
    name: 'end-sync',
    text: `
      UPDATE syncs SET status = $3, read = $4, written = $5, unchanged = $6, deleted = $7, skipped = $8, bytes = $9, location = $10,
        warnings = $11, error = $12, ended_at = now(), owner = NULL
      WHERE id = $1 AND owner = $2 AND status = 'running' RETURNING *`,
    values: [
      id,
      owner,
      status,
      counts.read,
      counts.written,
      counts.unchanged,
      counts.deleted,
      counts.skipped,
      counts.bytes,
      location,
      warnings.slice(0, MAX_WARNINGS),
      failure === undefined ? null : JSON.stringify(failure),
    ],
  });
  const [row] = rows;
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

/** Counts the failures of a destination, and pauses it. @returns its name and why it was paused now; undefined if it was deleted */
async function noteResult(
  client: pg.PoolClient,
  { destinationId, failure }: Sync,
): Promise<{ readonly name: string; readonly pausedReason: string } | undefined> {
  if (failure === undefined) {
    const { rows } = await client.query<{ name: string }>(
      'UPDATE destinations SET failures = 0 WHERE id = $1 RETURNING name',
      [destinationId],
    );
    return rows[0] === undefined ? undefined : { name: rows[0].name, pausedReason: '' };
  }
  const why = failure.code === 'refused' ? 'a sync was refused' : `${MAX_FAILURES} syncs in a row failed`;
  const { rows } = await client.query<{ name: string; status: string }>(
    `UPDATE destinations SET failures = failures + 1,
       status = CASE WHEN $2 OR failures + 1 >= $3 THEN 'paused' ELSE status END,
       paused_reason = CASE WHEN status = 'active' AND ($2 OR failures + 1 >= $3) THEN $4 ELSE paused_reason END
     WHERE id = $1 RETURNING name, status`,
    [destinationId, failure.code === 'refused', MAX_FAILURES, `${why}: ${failure.message}`.slice(0, 500)],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  if (row.status !== 'paused') return { name: row.name, pausedReason: '' };
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
  await client.query(
    `UPDATE syncs SET status = 'cancelled', ended_at = now(), error = $2 WHERE destination_id = $1 AND status = 'queued'`,
    [destinationId, JSON.stringify(failure)],
  );
}

/**
 * Schedules another attempt at a sync of this instance; cancels it if its destination was paused meanwhile. The row of the destination is locked first:
 * a pause that is not yet committed does not find the running sync, so its commit is waited for. @returns false if the sync is no longer held
 */
export async function retrySync(
  pool: pg.Pool,
  { id, owner }: { readonly id: string; readonly owner: string },
  failure: SyncFailure,
  inSeconds: number,
): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'retry-sync',
    text: `
      WITH d AS MATERIALIZED (
        SELECT id, status FROM destinations WHERE id = (SELECT destination_id FROM syncs WHERE id = $1) FOR SHARE)
      UPDATE syncs s SET status = CASE WHEN d.status = 'paused' THEN 'cancelled' ELSE 'queued' END, owner = NULL, claims = 0, error = $3,
        ended_at = CASE WHEN d.status = 'paused' THEN now() END, lease_until = now() + make_interval(secs => $4)
      FROM d WHERE s.id = $1 AND s.owner = $2 AND s.status = 'running' AND d.id = s.destination_id`,
    values: [id, owner, JSON.stringify(failure), inSeconds],
  });
  return (rowCount ?? 0) > 0;
}
