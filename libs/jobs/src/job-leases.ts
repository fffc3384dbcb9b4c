import type pg from 'pg';

/** Seconds a process may go without a word before its jobs are another's. */
export const JOB_LEASE_SECONDS = 15;

/** Whose the rows of a service's table `jobs` are, and until when: each move is fenced by the owner. */
export class JobLeases {
  readonly #pool: pg.Pool;
  /** This process, as no other is called. */
  readonly owner: string;

  constructor(pool: pg.Pool, owner: string) {
    this.#pool = pool;
    this.owner = owner;
  }

  /** Takes over jobs nobody works on any more, other than those of `except`. @returns those that are ours from now on */
  async takeOver(limit: number, except: readonly string[]): Promise<string[]> {
    const { rows } = await this.#pool.query<{ id: string }>({
      name: 'take-over-jobs',
      text: `
        UPDATE jobs SET owner = $1, status = 'running', attempts = attempts + 1, lease_until = now() + make_interval(secs => $2)
        WHERE id IN (
          SELECT id FROM jobs WHERE status IN ('queued', 'running') AND lease_until < now() AND id <> ALL($4)
          ORDER BY lease_until LIMIT $3 FOR UPDATE SKIP LOCKED
        )
        RETURNING id`,
      values: [this.owner, JOB_LEASE_SECONDS, limit, except],
    });
    return rows.map(({ id }) => id);
  }

  /** Keeps our jobs ours. @returns those that still are; the rest were cancelled or taken over */
  async renew(ids: readonly string[]): Promise<Set<string>> {
    const { rows } = await this.#pool.query<{ id: string }>({
      name: 'renew-jobs',
      text: `UPDATE jobs SET lease_until = now() + make_interval(secs => $3) WHERE id = ANY($1) AND owner = $2 AND status = 'running' RETURNING id`,
      values: [ids, this.owner, JOB_LEASE_SECONDS],
    });
    return new Set(rows.map(({ id }) => id));
  }

  /** Lets go of a job of ours, to be tried again by anyone after a while. `uncounted`: the attempt could not even begin. */
  async release(id: string, retryInSeconds: number, uncounted = false): Promise<void> {
    await this.#pool.query({
      name: 'release-job',
      text: `UPDATE jobs SET lease_until = now() + make_interval(secs => $3), attempts = attempts - $4 WHERE id = $1 AND owner = $2 AND status = 'running'`,
      values: [id, this.owner, retryInSeconds, uncounted ? 1 : 0],
    });
  }
}
