import { newId, type ProjectAccess, projectLimitOf } from '@tidemark/contracts';
import type pg from 'pg';

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

export interface Notice extends Omit<NewNotice, 'key' | 'workspaceId' | 'kind'> {
  readonly id: string;
  readonly kind: string;
}

/** A member of a workspace and the visible projects. */
export interface NoticeReader {
  readonly workspaceId: string;
  readonly access: ProjectAccess;
  readonly memberId: string;
}

const SEEN = 'workspace_id = $1 AND ($2::text[] IS NULL OR project_id = ANY($2))';

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
    const { key, workspaceId, projectId, runId, kind, title, text, createdAt } = notice;
    await client.query({
      name: 'share-project',
      text: 'SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))',
      values: [projectId],
    });
    // A separate statement, so that its snapshot is taken after the lock.
    await client.query({
      name: 'store-notice',
      text: `
        INSERT INTO notices (id, key, workspace_id, project_id, run_id, kind, title, text, created_at)
        SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9::timestamptz
        WHERE NOT EXISTS (SELECT FROM deleted_projects d WHERE d.project_id = $4)
        ON CONFLICT (key) DO NOTHING`,
      values: [newId('ntc'), key, workspaceId, projectId, runId, kind, title, text, createdAt],
    });
  }

  /** Lists what a member has not dismissed, newest first, older than `before` where it isn't empty. */
  async list({ workspaceId, access, memberId }: NoticeReader, before: string, limit: number): Promise<Notice[]> {
    const { rows } = await this.#pool.query<Notice>({
      name: 'list-notices',
      text: `
        SELECT id, kind, project_id AS "projectId", run_id AS "runId", title, text, created_at AS "createdAt"
        FROM notices n
        WHERE ${SEEN} AND ($4 = '' OR id < $4)
          AND NOT EXISTS (SELECT 1 FROM dismissed_notices d WHERE d.notice_id = n.id AND d.member_id = $3)
        ORDER BY id DESC LIMIT $5`,
      values: [workspaceId, projectLimitOf(access), memberId, before, limit],
    });
    return rows;
  }

  /** Dismisses a notice. Idempotent. @returns whether the member may see such a notice */
  async dismiss({ workspaceId, access, memberId }: NoticeReader, id: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'dismiss-notice',
      text: `
        INSERT INTO dismissed_notices (notice_id, member_id) SELECT id, $3 FROM notices WHERE ${SEEN} AND id = $4
        ON CONFLICT (notice_id, member_id) DO UPDATE SET member_id = EXCLUDED.member_id`,
      values: [workspaceId, projectLimitOf(access), memberId, id],
    });
    return (rowCount ?? 0) > 0;
  }

  /** Deletes a batch of expired notices. @returns their number; 0: there are no more */
  async deleteExpired(now: Date): Promise<number> {
    const before = new Date(now.getTime() - NOTICE_DAYS * 86_400_000);
    return this.#deleteBatch('created_at < $1', before);
  }

  /** Deletes a batch of a deleted project's notices. @returns as `deleteExpired` */
  deleteProject(projectId: string): Promise<number> {
    return this.#deleteBatch('project_id = $1', projectId);
  }

  /** Deletes a batch of a deleted workspace's notices. @returns as `deleteExpired` */
  deleteWorkspace(workspaceId: string): Promise<number> {
    return this.#deleteBatch('workspace_id = $1', workspaceId);
  }

  async #deleteBatch(which: string, value: Date | string): Promise<number> {
    const { rowCount } = await this.#pool.query(
      `WITH old AS (SELECT id FROM notices WHERE ${which} LIMIT ${BATCH}),
         seen AS (DELETE FROM dismissed_notices WHERE notice_id IN (SELECT id FROM old))
       DELETE FROM notices WHERE id IN (SELECT id FROM old)`,
      [value],
    );
    return rowCount ?? 0;
  }
}
