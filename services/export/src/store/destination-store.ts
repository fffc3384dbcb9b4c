import { type ProjectAccess, projectLimitOf } from '@tidemark/contracts';
import { inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import {
  anyOf,
  changeRows,
  type Database,
  listOf,
  type Params,
  type RawBuilder,
  type RowOfQuery,
  selectRow,
  selectRows,
  sql,
  unnest,
} from '@tidemark/sql';
import type pg from 'pg';
import type { Destination, DestinationFields } from '../domain/destination.ts';
import type { Sync } from '../domain/sync.ts';
import { toSync } from './sync-row.ts';
import { schema, tables } from './tables.ts';

const DESTINATIONS = tables
  .selectFrom('destinations as d')
  .leftJoin('connections as c', 'c.id', 'd.connection_id')
  .selectAll('d')
  .select('c.provider');
type DestinationRecord = RowOfQuery<typeof DESTINATIONS>;

function toDestination(row: DestinationRecord): Destination {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    projectId: row.project_id ?? undefined,

    connectionId: row.connection_id ?? undefined,
    provider: row.provider ?? '',
    name: row.name,

    scope: row.scope,
    projects: row.projects,
    dataset: row.dataset,

    mode: row.mode,
    table: row.table_name,
    path: row.path,
    format: row.format,

    compression: row.compression,
    columns: row.columns,
    automatic: row.automatic,
    freeze: row.frozen,
    shape: row.shape === null ? undefined : { columns: row.shape.columns ?? [], where: row.shape.where },

    status: row.status,
    pausedReason: row.paused_reason,
    failures: row.failures,

    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The destinations a caller may see. */
export interface Reach {
  readonly workspaceId: string;
  readonly access: ProjectAccess;
}

/** A key that is limited to projects sees their own destinations, and shared ones whose projects are all in its list. */
function isVisible({ workspaceId, access }: Reach): RawBuilder<boolean> {
  const projects = projectLimitOf(access);
  if (projects === undefined) return sql`d.workspace_id = ${workspaceId}`;
  return sql`d.workspace_id = ${workspaceId} AND (d.project_id = ANY(${projects}::text[])
    OR (d.project_id IS NULL AND d.scope = 'projects' AND d.projects <@ ${projects}::text[]))`;
}

const SYNCS = tables.selectFrom('syncs as s').selectAll('s');

const OF_PROJECT = schema.prepare(
  'destinations-of-project',
  ({ workspaceId, projectId }: Params<{ readonly workspaceId: string; readonly projectId: string }>) =>
    DESTINATIONS.where('d.workspace_id', '=', workspaceId)
      .where('d.status', '=', sql.lit('active'))
      .where('d.automatic', '=', sql.lit(true))
      .where('d.connection_id', 'is not', null)
      .where(
        sql<boolean>`(d.project_id = ${projectId} OR (d.project_id IS NULL AND (d.scope = 'all' OR ${projectId} = ANY(d.projects))))`,
      ),
);

const valuesOf = (fields: DestinationFields) => ({
  name: fields.name,
  connection_id: fields.connectionId ?? null,
  scope: fields.scope,
  projects: [...fields.projects],
  dataset: fields.dataset,
  mode: fields.mode,
  table_name: fields.table,
  path: fields.path,
  format: fields.format,
  compression: fields.compression,
  columns: [...fields.columns],
  shape: fields.shape === undefined ? null : JSON.stringify(fields.shape),
  automatic: fields.automatic,
  frozen: fields.freeze,
});

const NOW = sql<Date>`now()`;

/** The destinations of workspaces. Every query is filtered by the workspace. */
export class DestinationStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async count(workspaceId: string): Promise<number> {
    const row = await selectRow(
      this.#pool,
      tables
        .selectFrom('destinations')
        .select(sql<number>`count(*)::int`.as('n'))
        .where('workspace_id', '=', workspaceId),
    );
    return row?.n ?? 0;
  }

  /** Newest first; with `before`, only those older than that id. */
  async list(
    reach: Reach,
    projectId: string | undefined,
    { before, limit }: { readonly before: string | undefined; readonly limit: number },
  ): Promise<Destination[]> {
    const rows = await selectRows(
      this.#pool,
      DESTINATIONS.where(isVisible(reach))
        .where('d.project_id', 'is not distinct from', projectId ?? null)
        .$if(before !== undefined, (older) => older.where('d.id', '<', before ?? null))
        .orderBy('d.id', 'desc')
        .limit(limit),
    );
    return rows.map(toDestination);
  }

  /** Returns a destination of the workspace, or of a project where `projectId` is given. */
  async find(reach: Reach, id: string, projectId: string | undefined): Promise<Destination | undefined> {
    const row = await selectRow(
      this.#pool,
      DESTINATIONS.where(isVisible(reach))
        .where('d.id', '=', id)
        .where('d.project_id', 'is not distinct from', projectId ?? null),
    );
    return row && toDestination(row);
  }

  /** Returns a destination of any owner, for its syncs. */
  async findForSync(workspaceId: string, id: string): Promise<Destination | undefined> {
    const row = await selectRow(
      this.#pool,
      DESTINATIONS.where('d.workspace_id', '=', workspaceId).where('d.id', '=', id),
    );
    return row && toDestination(row);
  }

  /** Returns the active automatic destinations that receive the runs of a project. */
  async forProject(client: Database, workspaceId: string, projectId: string): Promise<Destination[]> {
    return (await OF_PROJECT.rows(client, { workspaceId, projectId })).map(toDestination);
  }

  /** Stores a destination and its events in one transaction. */
  create(
    id: string,
    owner: { workspaceId: string; projectId: string | undefined },
    { fields, outgoing }: { readonly fields: DestinationFields; readonly outgoing: readonly OutgoingEvent[] },
  ): Promise<void> {
    return inTransaction(this.#pool, async (client) => {
      await changeRows(
        client,
        tables.insertInto('destinations').values({
          ...valuesOf(fields),
          id,
          workspace_id: owner.workspaceId,
          project_id: owner.projectId ?? null,
          status: 'active',
          paused_reason: '',
          created_at: NOW,
          updated_at: NOW,
        }),
      );
      await writeEvents(client, outgoing);
    });
  }

  /**
   * Applies `change` to the current values under a row lock, so that concurrent changes of different fields are all kept.
   * @returns undefined where the destination does not exist
   */
  async update(
    client: pg.PoolClient,
    { id, workspaceId }: Pick<Destination, 'id' | 'workspaceId'>,
    change: (now: Destination) => DestinationFields & Pick<Destination, 'status' | 'pausedReason'>,
  ): Promise<Destination | undefined> {
    const row = await selectRow(
      client,
      DESTINATIONS.where('d.workspace_id', '=', workspaceId).where('d.id', '=', id).forUpdate('d'),
    );
    if (row === undefined) return undefined;
    const now = toDestination(row);
    const next = change(now);
    const isResumed = now.status === 'paused' && next.status === 'active';
    await changeRows(
      client,
      tables
        .updateTable('destinations')
        .set({ ...valuesOf(next), status: next.status, paused_reason: next.pausedReason, updated_at: NOW })
        .$if(isResumed, (resumed) => resumed.set({ failures: 0 }))
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id),
    );
    return { ...now, ...next, failures: isResumed ? 0 : now.failures, updatedAt: new Date() };
  }

  /** Deletes a destination with its syncs and writes `outgoing` events in one transaction. @returns whether it existed */
  delete(workspaceId: string, id: string, outgoing: readonly OutgoingEvent[]): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      const deleted = await changeRows(
        client,
        tables.deleteFrom('destinations').where('workspace_id', '=', workspaceId).where('id', '=', id),
      );
      const isDeleted = deleted > 0;
      if (isDeleted) await writeEvents(client, outgoing);
      return isDeleted;
    });
  }

  /** Returns the newest sync of each destination. */
  async lastSyncs(ids: readonly string[]): Promise<ReadonlyMap<string, Sync>> {
    const newest = tables
      .selectFrom('syncs')
      .selectAll()
      .where('destination_id', '=', sql.ref<string>('d.id'))
      .orderBy('id', 'desc')
      .limit(1)
      .as('s');
    const rows = await selectRows(
      this.#pool,
      tables
        .selectFrom(unnest('d', { id: listOf(sql<readonly string[]>`${ids}`, 'text') }))
        .crossJoinLateral(() => newest)
        .selectAll('s'),
    );
    return new Map(rows.map((row) => [row.destination_id, toSync(row)]));
  }

  /** Newest first; with `before`, only those older than that id. */
  async listSyncs(destinationId: string, before: string | undefined, limit: number): Promise<Sync[]> {
    const rows = await selectRows(
      this.#pool,
      SYNCS.where('s.destination_id', '=', destinationId)
        .$if(before !== undefined, (older) => older.where('s.id', '<', before ?? null))
        .orderBy('s.id', 'desc')
        .limit(limit),
    );
    return rows.map(toSync);
  }

  async findSync(reach: Reach, id: string): Promise<Sync | undefined> {
    const row = await selectRow(
      this.#pool,
      SYNCS.innerJoin('destinations as d', 'd.id', 's.destination_id').where(isVisible(reach)).where('s.id', '=', id),
    );
    return row && toSync(row);
  }

  async findSyncs(workspaceId: string, ids: readonly string[]): Promise<Sync[]> {
    const rows = await selectRows(
      this.#pool,
      SYNCS.where('s.workspace_id', '=', workspaceId).where('s.id', '=', anyOf(ids)).orderBy('s.id'),
    );
    return rows.map(toSync);
  }

  /** Returns the sync of a scrape, a batch or a crawl to a destination. */
  async findJobSync(workspaceId: string, destinationId: string, jobId: string): Promise<Sync | undefined> {
    const row = await selectRow(
      this.#pool,
      SYNCS.where('s.workspace_id', '=', workspaceId)
        .where('s.destination_id', '=', destinationId)
        .where('s.source_id', '=', jobId)
        .where('s.trigger', '=', 'request'),
    );
    return row && toSync(row);
  }
}
