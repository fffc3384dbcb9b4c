import { actedBy, type Caller } from '@tidemark/contracts';
import { inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import { changeRows, type RowOfQuery, selectRow } from '@tidemark/sql';
import type pg from 'pg';
import { tables } from '../store/tables.ts';
import type { OpenedRecorder, Recorder } from './recorder.ts';

const RECORDERS = tables
  .selectFrom('recorders')
  .select([
    'id',
    'workspace_id as workspaceId',
    'actor_id as actorId',
    'project_id as projectId',
    'start_url as startUrl',
    'address',
    'credits',
    'created_at as createdAt',
    'expires_at as expiresAt',
  ]);

const toOpened = ({ address, ...row }: RowOfQuery<typeof RECORDERS>): OpenedRecorder | undefined =>
  address === null ? undefined : { ...row, address };

/** Recorders in PostgreSQL: one row per member or key, which is what limits each to one. */
export class RecorderStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Reserves the recorder of its member until `until`. @returns false if the member has one that has not expired */
  async reserve(recorder: Recorder, until: Date): Promise<boolean> {
    const { id, workspaceId, actorId, projectId, startUrl, credits, createdAt } = recorder;
    const row = {
      id,
      project_id: projectId,
      start_url: startUrl,
      address: null,
      credits,
      created_at: createdAt,
      expires_at: until,
    };
    const reserved = await changeRows(
      this.#pool,
      tables
        .insertInto('recorders')
        .values({ ...row, workspace_id: workspaceId, actor_id: actorId })
        .onConflict((conflict) =>
          conflict
            .columns(['workspace_id', 'actor_id'])
            .doUpdateSet(row)
            .where('recorders.expires_at', '<=', createdAt),
        ),
    );
    return reserved > 0;
  }

  /** Stores where the page was opened and writes `outgoing` events, in one transaction. @returns false if the reservation has expired and another took its place */
  async open({ id, address, expiresAt }: OpenedRecorder, outgoing: readonly OutgoingEvent[]): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      const opened = tables
        .updateTable('recorders')
        .set({ address, expires_at: expiresAt })
        .where('id', '=', id)
        .where('address', 'is', null);
      if ((await changeRows(client, opened)) === 0) return false;
      await writeEvents(client, outgoing);
      return true;
    });
  }

  /** Returns the recorder of a caller that has not expired; undefined also while it is being opened. */
  async find(caller: Caller, now: Date): Promise<OpenedRecorder | undefined> {
    const { workspaceId, actorId } = actedBy(caller);
    const row = await selectRow(
      this.#pool,
      RECORDERS.where('workspace_id', '=', workspaceId).where('actor_id', '=', actorId).where('expires_at', '>', now),
    );
    return row === undefined ? undefined : toOpened(row);
  }

  /** Ends a recorder, so that its member can open another. Idempotent. */
  async end(id: string): Promise<void> {
    await changeRows(this.#pool, tables.deleteFrom('recorders').where('id', '=', id));
  }

  async deleteExpired(now: Date): Promise<void> {
    await changeRows(this.#pool, tables.deleteFrom('recorders').where('expires_at', '<=', now));
  }
}
