import { changeRows, type Params, selectRow, selectRows } from '@tidemark/sql';
import type pg from 'pg';
import type { Queryable } from './queryable.ts';
import { schema, tables } from './tables.ts';

export interface WorkspaceView {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly maxRpm: number | null;
  readonly requireSecondFactor: boolean;
  readonly parentId: string | null;
  /** When the workspace that pays suspended it. */
  readonly suspendedAt: Date | null;
  /** When the operator suspended it, and why. */
  readonly operatorSuspendedAt: Date | null;
  readonly suspensionReason: string | null;
  readonly createdAt: Date;
}

const WORKSPACE = [
  'id',
  'name',
  'plan',
  'max_rpm as maxRpm',
  'require_second_factor as requireSecondFactor',
  'parent_id as parentId',
  'suspended_at as suspendedAt',
  'operator_suspended_at as operatorSuspendedAt',
  'suspension_reason as suspensionReason',
  'created_at as createdAt',
] as const;

const FIND = schema.prepare('find-workspace', ({ id }: Params<{ readonly id: string }>) =>
  tables.selectFrom('workspaces').select(WORKSPACE).where('id', '=', id),
);

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

  find(id: string, db: Queryable = this.#pool): Promise<WorkspaceView | undefined> {
    return FIND.row(db, { id });
  }

  async create(db: Queryable, { id, name, plan }: Pick<WorkspaceView, 'id' | 'name' | 'plan'>): Promise<void> {
    await changeRows(db, tables.insertInto('workspaces').values({ id, name, plan }));
  }

  /** Locks the sub-accounts of a workspace. @returns their ids */
  async lockChildren(db: Queryable, parentId: string): Promise<string[]> {
    const rows = await selectRows(
      db,
      tables.selectFrom('workspaces').select('id').where('parent_id', '=', parentId).orderBy('id').forUpdate(),
    );
    return rows.map(({ id }) => id);
  }

  /** Deletes a workspace with its keys, members, invitations and tokens. Sessions in it are then in no workspace. */
  async delete(db: Queryable, id: string): Promise<void> {
    await changeRows(db, tables.deleteFrom('api_keys').where('workspace_id', '=', id));
    await changeRows(db, tables.deleteFrom('workspaces').where('id', '=', id));
  }

  /** Changes a workspace. @returns undefined if it does not exist */
  update(
    db: Queryable,
    id: string,
    { name, maxRpm, requireSecondFactor }: WorkspaceChange,
  ): Promise<WorkspaceView | undefined> {
    return selectRow(
      db,
      tables
        .updateTable('workspaces')
        .set(({ ref }) => ({
          name: name ?? ref('name'),
          max_rpm: maxRpm === undefined ? ref('max_rpm') : maxRpm,
          require_second_factor: requireSecondFactor ?? ref('require_second_factor'),
        }))
        .where('id', '=', id)
        .returning(WORKSPACE),
    );
  }
}
