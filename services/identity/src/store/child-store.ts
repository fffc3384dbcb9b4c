import type pg from 'pg';
import type { Queryable } from './queryable.ts';

export interface ChildRecord {
  readonly id: string;
  readonly name: string;
  /** Credits it may spend in a month; 0: no cap. */
  readonly cap: number;
  readonly suspendedAt: Date | null;
  readonly createdAt: Date;
}

/** What a request changes in a sub-account; undefined: nothing. */
export interface ChildChange {
  readonly name?: string | undefined;
  readonly cap?: number | undefined;
  readonly suspended?: boolean | undefined;
}

export interface ChildRequest {
  readonly requestHash: string;
  readonly childId: string;
  readonly name: string;
  readonly cap: number;
}

export interface ActorRecord {
  readonly id: string;
  readonly name: string;
  readonly calls: number;
  readonly lastAt: Date;
}

/** Days for which calls in sub-accounts are kept. */
const ACTING_DAYS = 30;
const MAX_ACTORS = 100;
const COLUMNS = `id, name, cap::float8 AS cap, suspended_at AS "suspendedAt", created_at AS "createdAt"`;

/** Stores the sub-accounts of workspaces. Every query is filtered by the parent. */
export class ChildStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async find(parentId: string, id: string, db: Queryable = this.#pool): Promise<ChildRecord | undefined> {
    const { rows } = await db.query<ChildRecord>({
      name: 'find-child',
      text: `SELECT ${COLUMNS} FROM workspaces WHERE id = $1 AND parent_id = $2`,
      values: [id, parentId],
    });
    return rows[0];
  }

  /** Returns up to `limit` sub-accounts after `cursor`, oldest first. */
  async list(parentId: string, cursor: string, limit: number): Promise<ChildRecord[]> {
    const { rows } = await this.#pool.query<ChildRecord>({
      name: 'list-children',
      text: `SELECT ${COLUMNS} FROM workspaces WHERE parent_id = $1 AND id > $2 ORDER BY id LIMIT $3`,
      values: [parentId, cursor, limit],
    });
    return rows;
  }

  async count(parentId: string, db: Queryable = this.#pool): Promise<number> {
    const { rows } = await db.query<{ count: number }>({
      name: 'count-children',
      text: 'SELECT count(*)::int AS count FROM workspaces WHERE parent_id = $1',
      values: [parentId],
    });
    return rows[0]?.count ?? 0;
  }

  /** Creates a sub-account on the plan of its parent. */
  async create(
    db: Queryable,
    { id, parentId, name, cap }: { id: string; parentId: string; name: string; cap: number },
  ): Promise<ChildRecord | undefined> {
    const { rows } = await db.query<ChildRecord>({
      name: 'create-child',
      text: `INSERT INTO workspaces (id, name, plan, plan_version, parent_id, cap) SELECT $1, $3, plan, plan_version, id, $4 FROM workspaces WHERE id = $2 RETURNING ${COLUMNS}`,
      values: [id, parentId, name, cap],
    });
    return rows[0];
  }

  /** Changes a sub-account. A suspension keeps its time where it is repeated. @returns undefined if there is none */
  async update(
    db: Queryable,
    { parentId, id }: { readonly parentId: string; readonly id: string },
    { name, cap, suspended }: ChildChange,
  ): Promise<ChildRecord | undefined> {
    const { rows } = await db.query<ChildRecord>({
      name: 'update-child',
      text: `
        UPDATE workspaces SET name = coalesce($3, name), cap = coalesce($4, cap),
          suspended_at = CASE $5::boolean WHEN true THEN coalesce(suspended_at, now()) WHEN false THEN NULL ELSE suspended_at END,
          last_suspended_at = CASE WHEN $5::boolean AND suspended_at IS NULL THEN now() ELSE last_suspended_at END
        WHERE id = $1 AND parent_id = $2 RETURNING ${COLUMNS}`,
      values: [id, parentId, name ?? null, cap ?? null, suspended ?? null],
    });
    return rows[0];
  }

  /** Returns the request that an idempotency key was first used for, within a day. */
  async findRequest(db: Queryable, parentId: string, key: string): Promise<ChildRequest | undefined> {
    const { rows } = await db.query<ChildRequest>({
      name: 'find-child-request',
      text: `SELECT request_hash AS "requestHash", child_id AS "childId", name, cap::float8 AS cap FROM child_requests
        WHERE parent_id = $1 AND key = $2 AND created_at > now() - interval '1 day'`,
      values: [parentId, key],
    });
    return rows[0];
  }

  async recordRequest(db: Queryable, parentId: string, key: string, request: ChildRequest): Promise<void> {
    const { requestHash, childId, name, cap } = request;
    await db.query({
      name: 'record-child-request',
      text: `INSERT INTO child_requests (parent_id, key, request_hash, child_id, name, cap) VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (parent_id, key) DO UPDATE SET request_hash = $3, child_id = $4, name = $5, cap = $6, created_at = now()`,
      values: [parentId, key, requestHash, childId, name, cap],
    });
  }

  /** Adds calls of a key or person in a sub-account. */
  async recordActing(childId: string, actorId: string, calls: number): Promise<void> {
    await this.#pool.query({
      name: 'record-acting',
      text: `INSERT INTO acting AS a (child_id, actor_id, day, calls) VALUES ($1, $2, (now() AT TIME ZONE 'UTC')::date, $3)
        ON CONFLICT (child_id, actor_id, day) DO UPDATE SET calls = a.calls + EXCLUDED.calls, last_at = now()`,
      values: [childId, actorId, calls],
    });
  }

  /** Returns the keys and people that acted in a sub-account in the last 30 days, the latest first. */
  async actors(childId: string): Promise<ActorRecord[]> {
    const { rows } = await this.#pool.query<ActorRecord>({
      name: 'list-actors',
      text: `
        SELECT a.actor_id AS id, coalesce(k.name, u.name, '') AS name, sum(a.calls)::float8 AS calls, max(a.last_at) AS "lastAt"
        FROM acting a LEFT JOIN api_keys k ON k.id = a.actor_id LEFT JOIN users u ON u.id = a.actor_id
        WHERE a.child_id = $1 AND a.last_at > now() - interval '${ACTING_DAYS} days'
        GROUP BY a.actor_id, k.name, u.name ORDER BY max(a.last_at) DESC, a.actor_id LIMIT ${MAX_ACTORS}`,
      values: [childId],
    });
    return rows;
  }

  /** Deletes calls and idempotency keys after their time. @returns their number */
  async deleteOld(): Promise<number> {
    const acting = await this.#pool.query(`DELETE FROM acting WHERE day < now() - interval '${ACTING_DAYS + 1} days'`);
    const keys = await this.#pool.query(`DELETE FROM child_requests WHERE created_at < now() - interval '1 day'`);
    return (acting.rowCount ?? 0) + (keys.rowCount ?? 0);
  }
}
