import type pg from 'pg';
import type { Queryable } from './queryable.ts';

export interface WorkspaceView {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly maxRpm: number | null;
  readonly requireSecondFactor: boolean;
  readonly parentId: string | null;
  readonly suspendedAt: Date | null;
  readonly createdAt: Date;
}

const COLUMNS = `id, name, plan, max_rpm AS "maxRpm", require_second_factor AS "requireSecondFactor", parent_id AS "parentId",
  suspended_at AS "suspendedAt", created_at AS "createdAt"`;

/** What a request changes in a workspace; undefined: nothing. */
export interface WorkspaceChange {
  readonly name?: string | undefined;
  /** Requests per minute; null: the limit of the plan. */
  readonly maxRpm?: number | null | undefined;
  readonly requireSecondFactor?: boolean | undefined;
}

/** Stores workspaces. */
export class WorkspaceStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async find(id: string, db: Queryable = this.#pool): Promise<WorkspaceView | undefined> {
    const { rows } = await db.query<WorkspaceView>({
      name: 'find-workspace',
      text: `SELECT ${COLUMNS} FROM workspaces WHERE id = $1`,
      values: [id],
    });
    return rows[0];
  }

  async create(db: Queryable, { id, name, plan }: Pick<WorkspaceView, 'id' | 'name' | 'plan'>): Promise<void> {
    await db.query('INSERT INTO workspaces (id, name, plan) VALUES ($1, $2, $3)', [id, name, plan]);
  }

  /** Locks the sub-accounts of a workspace. @returns their ids */
  async lockChildren(db: Queryable, parentId: string): Promise<string[]> {
    const { rows } = await db.query<{ id: string }>({
      name: 'lock-children',
      text: 'SELECT id FROM workspaces WHERE parent_id = $1 ORDER BY id FOR UPDATE',
      values: [parentId],
    });
    return rows.map(({ id }) => id);
  }

  /** Deletes a workspace with its keys, members, invitations and tokens. Sessions in it are then in no workspace. */
  async delete(db: Queryable, id: string): Promise<void> {
    await db.query('DELETE FROM api_keys WHERE workspace_id = $1', [id]);
    await db.query('DELETE FROM workspaces WHERE id = $1', [id]);
  }

  /** Changes a workspace. @returns undefined if it does not exist */
  async update(
    db: Queryable,
    id: string,
    { name, maxRpm, requireSecondFactor }: WorkspaceChange,
  ): Promise<WorkspaceView | undefined> {
    const { rows } = await db.query<WorkspaceView>({
      name: 'update-workspace',
      text: `UPDATE workspaces SET name = coalesce($2, name), max_rpm = CASE WHEN $3::boolean THEN $4 ELSE max_rpm END,
          require_second_factor = coalesce($5, require_second_factor)
        WHERE id = $1 RETURNING ${COLUMNS}`,
      values: [id, name ?? null, maxRpm !== undefined, maxRpm ?? null, requireSecondFactor ?? null],
    });
    return rows[0];
  }
}
