import { newId, type ProjectAccess, projectLimitOf } from '@tidemark/contracts';
import {
  anyOf,
  changeRows,
  lockUntilCommit,
  type Params,
  type RawBuilder,
  type RowOfQuery,
  selectRows,
  sql,
} from '@tidemark/sql';
import type pg from 'pg';
import { schema, tables } from './tables.ts';

/** Retention of a notice, days. */
export const NOTICE_DAYS = 90;
const BATCH = 1_000;

export interface NewNotice {
  /** Idempotency key. */
  readonly key: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly runId: string;
  readonly kind: 'run' | 'monitor' | 'credits';
  readonly title: string;
  readonly text: string;
  readonly createdAt: Date;
}

/** A member of a workspace and the visible projects. */
export interface NoticeReader {
  readonly workspaceId: string;
  readonly access: ProjectAccess;
  readonly memberId: string;
}

const NOTICES = tables
  .selectFrom('notices as n')
  .select([
    'n.id',
    'n.kind',
    'n.project_id as projectId',
    'n.run_id as runId',
    'n.title',
    'n.text',
    'n.created_at as createdAt',
  ]);
export type Notice = RowOfQuery<typeof NOTICES>;

const STORE = schema.prepareText(
  'store-notice',
  {},
  (notice: Params<NewNotice & { readonly id: string }>) => sql`
    INSERT INTO notices (id, key, workspace_id, project_id, run_id, kind, title, text, created_at)
    SELECT ${notice.id}, ${notice.key}, ${notice.workspaceId}, ${notice.projectId}, ${notice.runId}, ${notice.kind}, ${notice.title},
      ${notice.text}, ${notice.createdAt}::timestamptz
    WHERE NOT EXISTS (SELECT FROM deleted_projects d WHERE d.project_id = ${notice.projectId})
    ON CONFLICT (key) DO NOTHING`,
);

interface DismissValues {
  readonly id: string;
  readonly workspaceId: string;
  /** Null: all. */
  readonly projects: readonly string[] | null;
  readonly memberId: string;
}

const DISMISS = schema.prepareText(
  'dismiss-notice',
  {},
  ({ id, workspaceId, projects, memberId }: Params<DismissValues>) => sql`
    INSERT INTO dismissed_notices (notice_id, member_id)
    SELECT id, ${memberId} FROM notices
    WHERE id = ${id} AND workspace_id = ${workspaceId} AND (${projects}::text[] IS NULL OR project_id = ANY(${projects}::text[]))
    ON CONFLICT (notice_id, member_id) DO UPDATE SET member_id = EXCLUDED.member_id`,
);

/** Stores the notices that members see in place of mails, until they dismiss them. */
export class NoticeStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /**
   * Stores a notice in the caller's transaction, unless its project is deleted. Takes a shared lock on the project, as `Queue` does, so that
   * its deletion sees the notice or none is added after it.
   */
  async store(client: pg.PoolClient, notice: NewNotice): Promise<void> {
    await lockUntilCommit(client, [notice.projectId], 'shared');
    // A separate statement, so that its snapshot is taken after the lock.
    await STORE.change(client, { ...notice, id: newId('ntc') });
  }

  /** Lists what a member has not dismissed, newest first, older than `before` where it isn't empty. */
  list({ workspaceId, access, memberId }: NoticeReader, before: string | undefined, limit: number): Promise<Notice[]> {
    const projects = projectLimitOf(access);
    return selectRows(
      this.#pool,
      NOTICES.where('n.workspace_id', '=', workspaceId)
        .$if(projects !== undefined, (visible) => visible.where('n.project_id', '=', anyOf(projects ?? [])))
        .$if(before !== undefined, (older) => older.where('n.id', '<', before ?? null))
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('dismissed_notices as d')
                .select('d.notice_id')
                .whereRef('d.notice_id', '=', 'n.id')
                .where('d.member_id', '=', memberId),
            ),
          ),
        )
        .orderBy('n.id', 'desc')
        .limit(limit),
    );
  }

  /** Dismisses a notice. Idempotent. @returns whether the member may see such a notice */
  dismiss({ workspaceId, access, memberId }: NoticeReader, id: string): Promise<boolean> {
    return DISMISS.changesRow(this.#pool, { id, workspaceId, projects: projectLimitOf(access) ?? null, memberId });
  }

  /** Deletes a batch of expired notices. @returns their number; 0: there are no more */
  deleteExpired(now: Date): Promise<number> {
    const before = new Date(now.getTime() - NOTICE_DAYS * 86_400_000);
    return this.#deleteBatch(sql`created_at < ${before}`);
  }

  /** Deletes a batch of a deleted project's notices. @returns as `deleteExpired` */
  deleteProject(projectId: string): Promise<number> {
    return this.#deleteBatch(sql`project_id = ${projectId}`);
  }

  /** Deletes a batch of a deleted workspace's notices. @returns as `deleteExpired` */
  deleteWorkspace(workspaceId: string): Promise<number> {
    return this.#deleteBatch(sql`workspace_id = ${workspaceId}`);
  }

  #deleteBatch(which: RawBuilder<unknown>): Promise<number> {
    return changeRows(
      this.#pool,
      sql`
        WITH old AS (SELECT id FROM notices WHERE ${which} LIMIT ${sql.lit(BATCH)}),
          seen AS (DELETE FROM dismissed_notices WHERE notice_id IN (SELECT id FROM old))
        DELETE FROM notices WHERE id IN (SELECT id FROM old)`,
    );
  }
}
