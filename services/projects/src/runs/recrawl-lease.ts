import type pg from 'pg';

/** Lease, seconds. Must exceed the time the calls of one recrawl take. */
const LEASE_SECONDS = 30;

/** A lease per project: concurrent recrawls start one after the other, so that the second one sees the run of the first. */
export class RecrawlLease {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** @returns false if another request holds the lease */
  async acquire(projectId: string): Promise<boolean> {
    const { rowCount } = await this.#pool.query({
      name: 'acquire-recrawl',
      text: `
        UPDATE projects SET recrawl_lease_until = now() + make_interval(secs => $2)
        WHERE id = $1 AND (recrawl_lease_until IS NULL OR recrawl_lease_until < now())`,
      values: [projectId, LEASE_SECONDS],
    });
    return (rowCount ?? 0) > 0;
  }

  async release(projectId: string): Promise<void> {
    await this.#pool.query({
      name: 'release-recrawl',
      text: 'UPDATE projects SET recrawl_lease_until = NULL WHERE id = $1',
      values: [projectId],
    });
  }
}
