import { type App, PeriodicTask, retryWhileDatabaseUnavailable } from '@tidemark/service';
import type pg from 'pg';

const SYNC_INTERVAL_MS = 60_000;
/** A reading that took longer says too little. */
const MAX_ROUND_TRIP_MS = 1_000;
/** How long the start waits for a database that is away. */
const START_WAIT_MS = 20_000;

export interface DatabaseClockDeps {
  /** What time it is at the database, in ms. */
  readonly readMs: () => Promise<number>;
  /** Ms of a clock that runs evenly, wherever it began. */
  readonly localMs: () => number;
}

/**
 * The database's time, without asking it each time. Leases and due times are compared by several processes: by one clock, one that is
 * wrong on its own machine neither sends what is another's nor signs with a time its receivers refuse.
 */
export class DatabaseClock {
  readonly #deps: DatabaseClockDeps;
  #offsetMs: number | undefined;

  constructor(deps: DatabaseClockDeps) {
    this.#deps = deps;
  }

  /** Asks the database anew. What differs by less than the asking took is no difference: so the clock runs evenly. */
  async synchronize(): Promise<void> {
    const { readMs, localMs } = this.#deps;
    const beganAt = localMs();
    const databaseMs = await readMs();
    const tookMs = localMs() - beganAt;
    const offsetMs = databaseMs - (beganAt + tookMs / 2);
    const isFirst = this.#offsetMs === undefined;
    if (isFirst || (tookMs <= MAX_ROUND_TRIP_MS && Math.abs(offsetMs - (this.#offsetMs ?? 0)) > tookMs))
      this.#offsetMs = offsetMs;
  }

  /** @throws Error before it was ever followed */
  now(): Date {
    if (this.#offsetMs === undefined) throw new Error('the clock was not set yet');
    return new Date(this.#deps.localMs() + this.#offsetMs);
  }
}

/** A clock that follows the database from now on, asked once a minute. */
export async function openDatabaseClock(pool: pg.Pool, app: Pick<App<unknown>, 'own' | 'log'>): Promise<() => Date> {
  const readMs = async () => {
    const { rows } = await pool.query<{ at: Date }>({ name: 'now', text: 'SELECT clock_timestamp() AS at' });
    return rows[0]?.at.getTime() ?? Number.NaN;
  };
  const clock = new DatabaseClock({ readMs, localMs: () => performance.now() });
  await retryWhileDatabaseUnavailable(() => clock.synchronize(), START_WAIT_MS);
  const failed = 'the database was not asked what time it is; the next round asks';
  app.own(new PeriodicTask({ everyMs: SYNC_INTERVAL_MS, run: () => clock.synchronize(), failed, log: app.log }));
  return () => clock.now();
}
