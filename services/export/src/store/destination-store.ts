import { type ProjectAccess, projectLimitOf } from '@tidemark/contracts';
import { DESTINATION_DATASETS } from '@tidemark/datasets';
import { inTransaction, type OutgoingEvent, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { z } from 'zod';
import type { Destination, DestinationFields } from '../domain/destination.ts';
import type { Sync } from '../domain/sync.ts';
import { type SyncRecord, toSync } from './sync-row.ts';

interface DestinationRecord {
  readonly id: string;
  readonly workspace_id: string;
  readonly project_id: string | null;
  readonly connection_id: string | null;
  readonly provider: string | null;
  readonly name: string;
  readonly scope: string;
  readonly projects: string[];
  readonly dataset: string;
  readonly mode: string;
  readonly table_name: string;
  readonly path: string;
  readonly format: string;
  readonly compression: string;
  readonly columns: string[];
  readonly shape: unknown;
  readonly automatic: boolean;
  readonly frozen: boolean;
  readonly status: string;
  readonly paused_reason: string;
  readonly failures: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const Shape = z.object({
  columns: z.array(z.object({ name: z.string(), expr: z.string(), type: z.string() })).default([]),
  where: z.string().optional(),
});
const Scope = z.enum(['all', 'projects']);
const Mode = z.enum(['append', 'upsert', 'mirror']);
const Status = z.enum(['active', 'paused']);
const Dataset = z.enum(DESTINATION_DATASETS);

function toDestination(row: DestinationRecord): Destination {
  const shape = row.shape === null ? undefined : Shape.parse(row.shape);
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    projectId: row.project_id ?? undefined,

    connectionId: row.connection_id ?? undefined,
    provider: row.provider ?? '',
    name: row.name,

    scope: Scope.parse(row.scope),
    projects: row.projects,
    dataset: Dataset.parse(row.dataset),

    mode: Mode.parse(row.mode),
    table: row.table_name,
    path: row.path,
    format: row.format,

    compression: row.compression,
    columns: row.columns,
    automatic: row.automatic,
    freeze: row.frozen,
    shape: shape === undefined ? undefined : { columns: shape.columns, where: shape.where },

    status: Status.parse(row.status),
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
const VISIBLE = `d.workspace_id = $1 AND ($2::text[] IS NULL OR d.project_id = ANY($2::text[])
  OR (d.project_id IS NULL AND d.scope = 'projects' AND d.projects <@ $2::text[]))`;
const SELECT = 'SELECT d.*, c.provider FROM destinations d LEFT JOIN connections c ON c.id = d.connection_id';

const COLUMNS = `name, connection_id, scope, projects, dataset, mode, table_name, path, format, compression, columns, shape, automatic, frozen`;
const valuesOf = (fields: DestinationFields): unknown[] => [
  fields.name,
  fields.connectionId ?? null,
  fields.scope,
  fields.projects,
  fields.dataset,
  fields.mode,
  fields.table,
  fields.path,
  fields.format,
  fields.compression,
  fields.columns,
  fields.shape === undefined ? null : JSON.stringify(fields.shape),
  fields.automatic,
  fields.freeze,
];

/** The destinations of workspaces. Every query is filtered by the workspace. */
export class DestinationStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async count(workspaceId: string): Promise<number> {
    const text = 'SELECT count(*)::int AS n FROM destinations WHERE workspace_id = $1';
    return (await this.#pool.query<{ n: number }>(text, [workspaceId])).rows[0]?.n ?? 0;
  }

  /** Newest first; with `before`, only those older than that id. */
  async list(
    { workspaceId, access }: Reach,
    projectId: string,
    { before, limit }: { readonly before: string; readonly limit: number },
  ): Promise<Destination[]> {
    const { rows } = await this.#pool.query<DestinationRecord>(
      `${SELECT} WHERE ${VISIBLE} AND d.project_id IS NOT DISTINCT FROM nullif($3, '') AND ($4 = '' OR d.id < $4) ORDER BY d.id DESC LIMIT $5`,
      [workspaceId, projectLimitOf(access), projectId, before, limit],
    );
    return rows.map(toDestination);
  }

  /** Returns a destination of the workspace, or of a project where `projectId` is not empty. */
  async find({ workspaceId, access }: Reach, id: string, projectId: string): Promise<Destination | undefined> {
    const { rows } = await this.#pool.query<DestinationRecord>(
      `${SELECT} WHERE ${VISIBLE} AND d.id = $3 AND d.project_id IS NOT DISTINCT FROM nullif($4, '')`,
      [workspaceId, projectLimitOf(access), id, projectId],
    );
    return rows.map(toDestination)[0];
  }

  /** Returns a destination of any owner, for its syncs. */
  async findForSync(workspaceId: string, id: string): Promise<Destination | undefined> {
    const { rows } = await this.#pool.query<DestinationRecord>(`${SELECT} WHERE d.workspace_id = $1 AND d.id = $2`, [
      workspaceId,
      id,
    ]);
    return rows.map(toDestination)[0];
  }

  /** Returns the active automatic destinations that receive the runs of a project. */
  async forProject(client: pg.Pool | pg.PoolClient, workspaceId: string, projectId: string): Promise<Destination[]> {
    const { rows } = await client.query<DestinationRecord>({
      name: 'destinations-of-project',
      text: `${SELECT} WHERE d.workspace_id = $1 AND d.status = 'active' AND d.automatic AND d.connection_id IS NOT NULL
        AND (d.project_id = $2 OR (d.project_id IS NULL AND (d.scope = 'all' OR $2 = ANY(d.projects))))`,
      values: [workspaceId, projectId],
    });
    return rows.map(toDestination);
  }

  /** Stores a destination and its events in one transaction. */
  create(
    id: string,
    owner: { workspaceId: string; projectId: string },
    { fields, outgoing }: { readonly fields: DestinationFields; readonly outgoing: readonly OutgoingEvent[] },
  ): Promise<void> {
    return inTransaction(this.#pool, async (client) => {
      await client.query(
        `INSERT INTO destinations (id, workspace_id, project_id, ${COLUMNS}, status, paused_reason, created_at, updated_at)
       VALUES ($1, $2, nullif($3, ''), $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, 'active', '', now(), now())`,
        [id, owner.workspaceId, owner.projectId, ...valuesOf(fields)],
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
    const { rows } = await client.query<DestinationRecord>(
      `${SELECT} WHERE d.workspace_id = $1 AND d.id = $2 FOR UPDATE OF d`,
      [workspaceId, id],
    );
    const now = rows.map(toDestination)[0];
    if (now === undefined) return undefined;
    const next = change(now);
    const isResumed = now.status === 'paused' && next.status === 'active';
    await client.query(
      `UPDATE destinations SET (${COLUMNS}) = ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16),
         status = $17, paused_reason = $18, failures = CASE WHEN $19 THEN 0 ELSE failures END, updated_at = now()
       WHERE workspace_id = $1 AND id = $2`,
      [workspaceId, id, ...valuesOf(next), next.status, next.pausedReason, isResumed],
    );
    return { ...now, ...next, failures: isResumed ? 0 : now.failures, updatedAt: new Date() };
  }

  /** Deletes a destination with its syncs and writes `outgoing` events in one transaction. @returns whether it existed */
  delete(workspaceId: string, id: string, outgoing: readonly OutgoingEvent[]): Promise<boolean> {
    return inTransaction(this.#pool, async (client) => {
      const text = 'DELETE FROM destinations WHERE workspace_id = $1 AND id = $2';
      const isDeleted = ((await client.query(text, [workspaceId, id])).rowCount ?? 0) > 0;
      if (isDeleted) await writeEvents(client, outgoing);
      return isDeleted;
    });
  }

  /** Returns the newest sync of each destination. */
  async lastSyncs(ids: readonly string[]): Promise<ReadonlyMap<string, Sync>> {
    const { rows } = await this.#pool.query<SyncRecord>(
      `SELECT s.* FROM unnest($1::text[]) AS d(id)
       CROSS JOIN LATERAL (SELECT * FROM syncs WHERE destination_id = d.id ORDER BY id DESC LIMIT 1) s`,
      [ids],
    );
    return new Map(rows.map((row) => [row.destination_id, toSync(row)]));
  }

  /** Newest first; with `before`, only those older than that id. */
  async listSyncs(destinationId: string, before: string, limit: number): Promise<Sync[]> {
    const { rows } = await this.#pool.query<SyncRecord>(
      `SELECT * FROM syncs WHERE destination_id = $1 AND ($2 = '' OR id < $2) ORDER BY id DESC LIMIT $3`,
      [destinationId, before, limit],
    );
    return rows.map(toSync);
  }

  async findSync({ workspaceId, access }: Reach, id: string): Promise<Sync | undefined> {
    const { rows } = await this.#pool.query<SyncRecord>(
      `SELECT s.* FROM syncs s JOIN destinations d ON d.id = s.destination_id WHERE ${VISIBLE} AND s.id = $3`,
      [workspaceId, projectLimitOf(access), id],
    );
    return rows.map(toSync)[0];
  }

  async findSyncs(workspaceId: string, ids: readonly string[]): Promise<Sync[]> {
    const { rows } = await this.#pool.query<SyncRecord>(
      'SELECT * FROM syncs WHERE workspace_id = $1 AND id = ANY($2) ORDER BY id',
      [workspaceId, ids],
    );
    return rows.map(toSync);
  }

  /** Returns the sync of a scrape, a batch or a crawl to a destination. */
  async findJobSync(workspaceId: string, destinationId: string, jobId: string): Promise<Sync | undefined> {
    const { rows } = await this.#pool.query<SyncRecord>(
      `SELECT * FROM syncs WHERE workspace_id = $1 AND destination_id = $2 AND source_id = $3 AND trigger = 'request'`,
      [workspaceId, destinationId, jobId],
    );
    return rows.map(toSync)[0];
  }
}
