import { ATTEMPT_POLICIES, fencedBy, LeasedQueue } from '@tidemark/leased-work';
import { column, type Params, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema } from './tables.ts';

/** The table `jobs` of a service. A lease of 15 s: the jobs of a killed process are reassigned within 17 s. */
const QUEUE = new LeasedQueue({
  schema,
  name: 'jobs',
  table: 'jobs',
  key: ['id'],
  times: { kind: 'shared', at: 'lease_until', whenNull: 'never_due' },
  fence: fencedBy('owner'),
  attempts: 'attempts',
  leaseSeconds: 15,
  policy: ATTEMPT_POLICIES.jobs,
  isOpen: sql`status IN ('queued', 'running')`,
  isClaimed: sql`status = 'running'`,
  mayBeClaimed: ({ except }: Params<{ readonly except: readonly string[] }>) => sql`id <> ALL(${except})`,
  onClaim: sql`status = 'running'`,
  columns: { id: column('text') },
});
const RETRY = QUEUE.retry('retry-job');
const POSTPONE = QUEUE.postpone('postpone-job');

/** Lease duration, seconds. A job whose lease is not renewed for this long is reassigned. */
export const JOB_LEASE_SECONDS = QUEUE.leaseSeconds;

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
    const rows = await QUEUE.claim(this.#pool, { owner: this.owner, limit, except });
    return rows.map(({ id }) => id);
  }

  /** Renews leases of this instance. @returns the ids that it still owns; the other jobs were cancelled or reassigned */
  renew(ids: readonly string[]): Promise<Set<string>> {
    return QUEUE.renew(this.#pool, { owner: this.owner, keys: ids });
  }

  /** Releases a job after a failed attempt: any instance makes the next one after `seconds`. */
  async retry(id: string, seconds: number): Promise<void> {
    await RETRY.changesRow(this.#pool, { id, owner: this.owner, seconds });
  }

  /** Releases a job whose attempt could not start, or is stopped by a shutdown, and is not counted. */
  async postpone(id: string, seconds: number): Promise<void> {
    await POSTPONE.changesRow(this.#pool, { id, owner: this.owner, seconds });
  }
}
