import { type RowOfQuery, selectRow, selectRows, sql } from '@tidemark/sql';
import type pg from 'pg';
import type { Queryable } from './queryable.ts';
import { tables } from './tables.ts';

const WORKSPACES = tables
  .selectFrom('workspaces as w')
  .select(({ selectFrom }) => [
    'w.id',
    'w.name',
    'w.plan',
    'w.parent_id as parentId',
    'w.created_at as createdAt',
    'w.suspended_at as suspendedAt',
    'w.operator_suspended_at as operatorSuspendedAt',
    'w.suspension_reason as suspensionReason',
    selectFrom('memberships as m')
      .select(sql<number>`count(*)::int`.as('members'))
      .whereRef('m.workspace_id', '=', 'w.id')
      .as('members'),
    selectFrom('api_keys as k')
      .select(sql<number>`count(*)::int`.as('keys'))
      .whereRef('k.workspace_id', '=', 'w.id')
      .where('k.revoked_at', 'is', null)
      .as('keys'),
    selectFrom('workspaces as c')
      .select(sql<number>`count(*)::int`.as('children'))
      .whereRef('c.parent_id', '=', 'w.id')
      .as('children'),
  ]);

/** A workspace as the operator of an installation sees it. `members`, `keys` (not revoked) and `children` (sub-accounts) are counts. */
export type AdministeredWorkspace = RowOfQuery<typeof WORKSPACES>;

/** Which workspaces are listed; an absent value selects all. */
export interface WorkspaceFilter {
  /** A part of the name or id, in any case, or the address of a member. */
  readonly q?: string | undefined;
  readonly plan?: string | undefined;
  readonly isSuspended?: boolean | undefined;
}

/** Reads and suspends workspaces for the operator, across all of them. */
export class AdministrationStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  find(id: string, db: Queryable = this.#pool): Promise<AdministeredWorkspace | undefined> {
    return selectRow(db, WORKSPACES.where('w.id', '=', id));
  }

  /** Returns up to `limit` workspaces after the id `after`, oldest first. */
  list(
    { q, plan, isSuspended }: WorkspaceFilter,
    after: string | undefined,
    limit: number,
  ): Promise<AdministeredWorkspace[]> {
    let query = WORKSPACES.orderBy('w.id').limit(limit);
    if (after !== undefined) query = query.where('w.id', '>', after);
    if (plan !== undefined) query = query.where('w.plan', '=', plan);
    if (isSuspended !== undefined)
      query = query.where(
        sql<boolean>`(w.suspended_at IS NOT NULL OR w.operator_suspended_at IS NOT NULL) = ${isSuspended}`,
      );
    if (q !== undefined)
      query = query.where(
        sql<boolean>`(position(lower(${q}) IN lower(w.name)) > 0 OR w.id = ${q} OR EXISTS (
          SELECT FROM memberships m JOIN users u ON u.id = m.user_id WHERE m.workspace_id = w.id AND u.email = lower(${q})))`,
      );
    return selectRows(this.#pool, query);
  }

  /** Suspends a workspace and its sub-accounts. One that is suspended keeps its time. @returns their ids */
  async suspend(db: Queryable, id: string, reason: string): Promise<string[]> {
    const rows = await selectRows(
      db,
      tables
        .updateTable('workspaces')
        .set({
          operator_suspended_at: sql<Date>`coalesce(operator_suspended_at, now())`,
          last_suspended_at: sql<Date>`CASE WHEN operator_suspended_at IS NULL THEN now() ELSE last_suspended_at END`,
          suspension_reason: reason,
        })
        .where((eb) => eb.or([eb('id', '=', id), eb('parent_id', '=', id)]))
        .returning('id'),
    );
    return rows.map((row) => row.id);
  }

  /** Ends the operator's suspension of a workspace and of the sub-accounts that were suspended with it or later. @returns their ids */
  async resume(db: Queryable, { id, operatorSuspendedAt }: AdministeredWorkspace): Promise<string[]> {
    const rows = await selectRows(
      db,
      tables
        .updateTable('workspaces')
        .set({ operator_suspended_at: null, suspension_reason: null })
        .where((eb) =>
          eb.or([
            eb('id', '=', id),
            eb.and([eb('parent_id', '=', id), eb('operator_suspended_at', '>=', operatorSuspendedAt)]),
          ]),
        )
        .returning('id'),
    );
    return rows.map((row) => row.id);
  }
}
