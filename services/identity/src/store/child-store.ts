import { changeRows, column, type Params, selectRow, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { Queryable } from './queryable.ts';
import { schema, tables } from './tables.ts';

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
const NOW = sql<Date>`now()`;
const CAP = sql<number>`cap::float8`.as('cap');
const CHILD = ['id', 'name', CAP, 'suspended_at as suspendedAt', 'created_at as createdAt'] as const;
const CHILDREN = tables.selectFrom('workspaces').select(CHILD);

interface Acted {
  readonly childId: string;
  readonly actorId: string;
  readonly calls: number;
}

const RECORD_ACTING = schema.prepareText(
  'record-acting',
  {},
  ({ childId, actorId, calls }: Params<Acted>) => sql`
    INSERT INTO acting AS a (child_id, actor_id, day, calls) VALUES (${childId}, ${actorId}, (now() AT TIME ZONE 'UTC')::date, ${calls})
    ON CONFLICT (child_id, actor_id, day) DO UPDATE SET calls = a.calls + EXCLUDED.calls, last_at = now()`,
);

const ACTORS = schema.prepareText(
  'list-actors',
  { id: column('text'), name: column('text'), calls: column('float8'), lastAt: column('timestamptz') },
  ({ childId }: Params<{ readonly childId: string }>) => sql`
    SELECT a.actor_id AS id, coalesce(k.name, u.name, '') AS name, sum(a.calls)::float8 AS calls, max(a.last_at) AS "lastAt"
    FROM acting a LEFT JOIN api_keys k ON k.id = a.actor_id LEFT JOIN users u ON u.id = a.actor_id
    WHERE a.child_id = ${childId} AND a.last_at > now() - make_interval(days => ${sql.lit(ACTING_DAYS)})
    GROUP BY a.actor_id, k.name, u.name ORDER BY max(a.last_at) DESC, a.actor_id LIMIT ${sql.lit(MAX_ACTORS)}`,
);

/** Stores the sub-accounts of workspaces. Every query is filtered by the parent. */
export class ChildStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  find(parentId: string, id: string, db: Queryable = this.#pool): Promise<ChildRecord | undefined> {
    return selectRow(db, CHILDREN.where('id', '=', id).where('parent_id', '=', parentId));
  }

  /** Returns up to `limit` sub-accounts after `cursor`, oldest first. */
  list(parentId: string, cursor: string | undefined, limit: number): Promise<ChildRecord[]> {
    return selectRows(
      this.#pool,
      CHILDREN.where('parent_id', '=', parentId)
        .$if(cursor !== undefined, (after) => after.where('id', '>', cursor ?? null))
        .orderBy('id')
        .limit(limit),
    );
  }

  async count(parentId: string, db: Queryable = this.#pool): Promise<number> {
    const row = await selectRow(
      db,
      tables.selectFrom('workspaces').select(sql<number>`count(*)::int`.as('count')).where('parent_id', '=', parentId),
    );
    return row?.count ?? 0;
  }

  /** Creates a sub-account on the plan of its parent. */
  create(
    db: Queryable,
    { id, parentId, name, cap }: { id: string; parentId: string; name: string; cap: number },
  ): Promise<ChildRecord | undefined> {
    return selectRow(
      db,
      tables
        .insertInto('workspaces')
        .columns(['id', 'name', 'plan', 'plan_version', 'parent_id', 'cap'])
        .expression(({ selectFrom }) =>
          selectFrom('workspaces as parent')
            .select([
              sql<string>`${id}::text`.as('id'),
              sql<string>`${name}::text`.as('name'),
              'parent.plan',
              'parent.plan_version',
              'parent.id as parent_id',
              sql<string>`${cap}::bigint`.as('cap'),
            ])
            .where('parent.id', '=', parentId),
        )
        .returning(CHILD),
    );
  }

  /** Changes a sub-account. A suspension keeps its time where it is repeated. @returns undefined if there is none */
  update(
    db: Queryable,
    { parentId, id }: { readonly parentId: string; readonly id: string },
    { name, cap, suspended }: ChildChange,
  ): Promise<ChildRecord | undefined> {
    return selectRow(
      db,
      tables
        .updateTable('workspaces')
        .set(({ ref }) => ({ name: name ?? ref('name'), cap: cap ?? ref('cap') }))
        .$if(suspended === true, (change) =>
          change.set({
            suspended_at: sql<Date>`coalesce(suspended_at, now())`,
            last_suspended_at: sql<Date>`CASE WHEN suspended_at IS NULL THEN now() ELSE last_suspended_at END`,
          }),
        )
        .$if(suspended === false, (change) => change.set({ suspended_at: null }))
        .where('id', '=', id)
        .where('parent_id', '=', parentId)
        .returning(CHILD),
    );
  }

  /** Returns the request that an idempotency key was first used for, within a day. */
  findRequest(db: Queryable, parentId: string, key: string): Promise<ChildRequest | undefined> {
    return selectRow(
      db,
      tables
        .selectFrom('child_requests')
        .select(['request_hash as requestHash', 'child_id as childId', 'name', CAP])
        .where('parent_id', '=', parentId)
        .where('key', '=', key)
        .where('created_at', '>', sql<Date>`now() - interval '1 day'`),
    );
  }

  async recordRequest(db: Queryable, parentId: string, key: string, request: ChildRequest): Promise<void> {
    const { requestHash, childId, name, cap } = request;
    await changeRows(
      db,
      tables
        .insertInto('child_requests')
        .values({ parent_id: parentId, key, request_hash: requestHash, child_id: childId, name, cap })
        .onConflict((conflict) =>
          conflict
            .columns(['parent_id', 'key'])
            .doUpdateSet({ request_hash: requestHash, child_id: childId, name, cap, created_at: NOW }),
        ),
    );
  }

  /** Adds calls of a key or person in a sub-account. */
  async recordActing(childId: string, actorId: string, calls: number): Promise<void> {
    await RECORD_ACTING.change(this.#pool, { childId, actorId, calls });
  }

  /** Returns the keys and people that acted in a sub-account in the last 30 days, the latest first. */
  actors(childId: string): Promise<ActorRecord[]> {
    return ACTORS.rows(this.#pool, { childId });
  }

  /** Deletes calls and idempotency keys after their time. @returns their number */
  async deleteOld(): Promise<number> {
    const acting = await changeRows(
      this.#pool,
      tables.deleteFrom('acting').where('day', '<', sql<Date>`now() - make_interval(days => ${ACTING_DAYS + 1})`),
    );
    const keys = await changeRows(
      this.#pool,
      tables.deleteFrom('child_requests').where('created_at', '<', sql<Date>`now() - interval '1 day'`),
    );
    return acting + keys;
  }
}
