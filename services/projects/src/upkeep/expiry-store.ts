import type pg from 'pg';

/** Seconds after which a project whose old runs nobody is heard to have expired is looked at again. */
const LEASE_SECONDS = 120;
const AGAIN_AFTER_SECONDS = 600;

/** A project whose old runs are to go. */
export interface Expiring {
  readonly projectId: string;
  readonly workspaceId: string;
  readonly retentionDays: number;
}

/** When the old runs of each project are looked for: once a day, each claimed by one process. */
export class ExpiryStore {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** Claims projects whose turn it is. Others pass over what we hold. */
  async claim(limit: number): Promise<Expiring[]> {
    const { rows } = await this.#pool.query<Expiring>({
      name: 'claim-expiring',
      text: `
        UPDATE projects SET expire_after = now() + make_interval(secs => $2) WHERE id IN (
          SELECT id FROM projects WHERE expire_after <= now() ORDER BY expire_after LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)
        RETURNING id AS "projectId", workspace_id AS "workspaceId", retention_days AS "retentionDays"`,
      values: [limit, LEASE_SECONDS],
    });
    return rows;
  }

  /** Their turn comes in a day again, a little earlier or later, so that they spread; of those that failed soon. */
  async settle(done: readonly string[], failed: readonly string[]): Promise<void> {
    await this.#pool.query({
      name: 'settle-expiring',
      text: `
        UPDATE projects SET expire_after = now() + CASE WHEN id = ANY($1) THEN (23 + 2 * random()) * interval '1 hour'
          ELSE make_interval(secs => $3) END
        WHERE id = ANY($1) OR id = ANY($2)`,
      values: [done, failed, AGAIN_AFTER_SECONDS],
    });
  }
}
