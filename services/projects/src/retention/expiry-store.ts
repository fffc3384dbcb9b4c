import type pg from 'pg';

/** Lease of a claim, seconds. After it the project is claimed again. */
const LEASE_SECONDS = 120;
const RETRY_AFTER_SECONDS = 600;

/** A project whose old runs are to be deleted. */
export interface ExpiringProject {
  readonly projectId: string;
  readonly workspaceId: string;
  readonly retentionDays: number;
}

/** When the old runs of each project are deleted: once a day, claimed by one instance. */
export class ExpiryStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Claims due projects. Skips locked rows. */
  async claim(limit: number): Promise<ExpiringProject[]> {
    const { rows } = await this.#pool.query<ExpiringProject>({
      name: 'claim-expiring',
      text: `
        UPDATE projects SET next_expiry = now() + make_interval(secs => $2) WHERE id = ANY (ARRAY(
          SELECT id FROM projects WHERE next_expiry <= now() ORDER BY next_expiry LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED))
        RETURNING id AS "projectId", workspace_id AS "workspaceId", retention_days AS "retentionDays"`,
      values: [limit, LEASE_SECONDS],
    });
    return rows;
  }

  /** Schedules the next deletion: in about a day, with a random offset to spread the load; of failed projects in ten minutes. */
  async finish(done: readonly string[], failed: readonly string[]): Promise<void> {
    await this.#pool.query({
      name: 'finish-expiring',
      text: `
        UPDATE projects SET next_expiry = now() + CASE WHEN id = ANY($1) THEN (23 + 2 * random()) * interval '1 hour'
          ELSE make_interval(secs => $3) END
        WHERE id = ANY($1) OR id = ANY($2)`,
      values: [done, failed, RETRY_AFTER_SECONDS],
    });
  }
}
