import type pg from 'pg';

/** Lease duration, seconds. A job whose lease is not renewed for this long is reassigned. */
export const JOB_LEASE_SECONDS = 15;

/** Leases of the rows of a service's table `jobs`. Every state transition is fenced by the owner. */
export class JobLeases {
  readonly #pool: pg.Pool;
  /** Fencing token of this process; unique. */
  readonly owner: string;

  constructor(pool: pg.Pool, owner: string) {
    this.#pool = pool;
    this.owner = owner;
  }

  /** Claims up to `limit` jobs whose lease has expired, except those of `except`. @returns their ids */
  async claimExpired(limit: number, except: readonly string[]): Promise<string[]> {
    const { rows } = await this.#pool.query<{ id: string }>({
      name: 'claim-expired-jobs',
      text: `
        UPDATE jobs SET owner = $1, status = 'running', attempts = attempts + 1, lease_until = now() + make_interval(secs => $2)
        WHERE id = ANY (ARRAY(
          SELECT id FROM jobs WHERE status IN ('queued', 'running') AND lease_until < now() AND id <> ALL($4)
          ORDER BY lease_until LIMIT $3 FOR UPDATE SKIP LOCKED
        ))
        RETURNING id`,
      values: [this.owner, JOB_LEASE_SECONDS, limit, except],
    });
    return rows.map(({ id }) => id);
  }

  /** Renews leases of this instance. @returns the ids that it still owns; the other jobs were cancelled or reassigned */
  async renew(ids: readonly string[]): Promise<Set<string>> {
    const { rows } = await this.#pool.query<{ id: string }>({
      name: 'renew-jobs',
      text: `UPDATE jobs SET lease_until = now() + make_interval(secs => $3) WHERE id = ANY($1) AND owner = $2 AND status = 'running' RETURNING id`,
      values: [ids, this.owner, JOB_LEASE_SECONDS],
    });
    return new Set(rows.map(({ id }) => id));
  }

  /** Releases a job for a retry by any instance after `retryInSeconds`. `uncounted`: the attempt could not start and is not counted. */
  async release(id: string, retryInSeconds: number, uncounted = false): Promise<void> {
    await this.#pool.query({
      name: 'release-job',
      text: `UPDATE jobs SET lease_until = now() + make_interval(secs => $3), attempts = attempts - $4 WHERE id = $1 AND owner = $2 AND status = 'running'`,
      values: [id, this.owner, retryInSeconds, uncounted ? 1 : 0],
    });
  }
}
