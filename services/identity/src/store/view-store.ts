import { inTransaction } from '@tidemark/service';
import { changeRows, type Params, selectRow, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from './tables.ts';

/** A page of the console with its filters, saved by a member of a workspace. */
export interface SavedViewRecord {
  readonly id: string;
  readonly name: string;
  /** Path and query. */
  readonly path: string;
  readonly createdAt: Date;
}

/** The member who owns views: a person in one workspace. */
export interface Member {
  readonly workspaceId: string;
  readonly userId: string;
}

const VIEW = ['id', 'name', 'path', 'created_at as createdAt'] as const;

interface NewView extends Member {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly max: number;
}

const ADD = schema.prepareText(
  'add-saved-view',
  {},
  ({ id, workspaceId, userId, name, path, max }: Params<NewView>) => sql`
    INSERT INTO saved_views (id, workspace_id, user_id, name, path)
    SELECT ${id}, ${workspaceId}, ${userId}, ${name}, ${path}
    WHERE (SELECT count(*) FROM saved_views WHERE workspace_id = ${workspaceId} AND user_id = ${userId}) < ${max}`,
);

/** Stores the saved views of members. Every statement names the member, so that no other person reads or changes them. */
export class ViewStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Returns the views of a member by name. */
  list({ workspaceId, userId }: Member): Promise<SavedViewRecord[]> {
    return selectRows(
      this.#pool,
      tables
        .selectFrom('saved_views')
        .select(VIEW)
        .where('workspace_id', '=', workspaceId)
        .where('user_id', '=', userId)
        .orderBy('name')
        .orderBy('id'),
    );
  }

  find({ workspaceId, userId }: Member, id: string): Promise<SavedViewRecord | undefined> {
    return selectRow(
      this.#pool,
      tables
        .selectFrom('saved_views')
        .select(VIEW)
        .where('workspace_id', '=', workspaceId)
        .where('user_id', '=', userId)
        .where('id', '=', id),
    );
  }

  /**
   * Adds a view. The row of the membership is locked first, in a statement of its own: concurrent requests of the member then count each other's
   * views. @returns false if the member has `max` views already, or is no member any more
   */
  add(view: NewView): Promise<boolean> {
    const { workspaceId, userId } = view;
    const membership = tables
      .selectFrom('memberships')
      .select('role')
      .where('workspace_id', '=', workspaceId)
      .where('user_id', '=', userId)
      .forUpdate();
    return inTransaction(this.#pool, async (db) => {
      if ((await selectRow(db, membership)) === undefined) return false;
      return ADD.changesRow(db, view);
    });
  }

  /** @returns undefined if the member has no such view */
  rename({ workspaceId, userId }: Member, id: string, name: string): Promise<SavedViewRecord | undefined> {
    return selectRow(
      this.#pool,
      tables
        .updateTable('saved_views')
        .set({ name })
        .where('workspace_id', '=', workspaceId)
        .where('user_id', '=', userId)
        .where('id', '=', id)
        .returning(VIEW),
    );
  }

  /** @returns whether the member had such a view */
  async delete({ workspaceId, userId }: Member, id: string): Promise<boolean> {
    const deleted = await changeRows(
      this.#pool,
      tables
        .deleteFrom('saved_views')
        .where('workspace_id', '=', workspaceId)
        .where('user_id', '=', userId)
        .where('id', '=', id),
    );
    return deleted > 0;
  }
}
