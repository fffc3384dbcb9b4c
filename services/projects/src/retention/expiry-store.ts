import { ATTEMPT_POLICIES, LeasedQueue, retrySeconds, unfenced } from '@tidemark/leased-work';
import { column, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema } from '../store/tables.ts';

/** A project whose old runs are to be deleted. */
export interface ExpiringProject {
  readonly projectId: string;
  readonly workspaceId: string;
  readonly retentionDays: number;
}

const QUEUE = new LeasedQueue({
  schema,
  name: 'expiring-project',
  table: 'projects',
  key: ['id'],
  times: { kind: 'shared', at: 'next_expiry', whenNull: 'never_due' },
  fence: unfenced('crawl deletes an old run once'),
  leaseSeconds: 120,
  policy: ATTEMPT_POLICIES['projects.expiry'],
  columns: { projectId: column('text'), workspaceId: column('text'), retentionDays: column('int4') },
  returning: sql`id AS "projectId", workspace_id AS "workspaceId", retention_days AS "retentionDays"`,
});

/** When the old runs of each project are deleted: once a day, claimed by one instance. */
export class ExpiryStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Claims due projects. Skips locked rows. */
  claim(limit: number): Promise<ExpiringProject[]> {
    return QUEUE.claim(this.#pool, { limit });
  }

  /** Schedules the next deletion: in about a day, with a random offset to spread the load; of failed projects in ten minutes. */
  async finish(done: readonly string[], failed: readonly string[]): Promise<void> {
    await this.#pool.query({
      name: 'finish-expiring',
      text: `
        UPDATE projects SET next_expiry = now() + CASE WHEN id = ANY($1) THEN (23 + 2 * random()) * interval '1 hour'
          ELSE make_interval(secs => $3) END
        WHERE id = ANY($1) OR id = ANY($2)`,
      values: [done, failed, retrySeconds(QUEUE.policy, 1)],
    });
  }
}
