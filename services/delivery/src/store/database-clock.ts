import { type App, PeriodicTask, retryWhileDatabaseUnavailable } from '@tidemark/service';
import { column, sql } from '@tidemark/sql';
import type pg from 'pg';
import { schema } from './tables.ts';

const SYNC_INTERVAL_MS = 60_000;
/** Slower readings are too inexact and are ignored, ms. */
const MAX_ROUND_TRIP_MS = 1_000;
/** Longest wait for an unavailable database at startup, ms. */
const START_WAIT_MS = 20_000;

const NOW = schema.prepareText('now', { at: column('timestamptz') }, () => sql`SELECT clock_timestamp() AS at`);

export interface DatabaseClockDeps {
  /** Returns the database's time, ms. */
  readonly readMs: () => Promise<number>;
  /** Returns a monotonic time, ms. */
  readonly localMs: () => number;
}

/**
 * Returns the database's time without a query per call. Leases and due times are compared across instances: with one clock, an instance on
 * a machine with a wrong clock neither sends what another instance has claimed nor signs with a time that receivers refuse.
 */
export class DatabaseClock {
  readonly #deps: DatabaseClockDeps;
  #offsetMs: number | undefined;

  constructor(deps: DatabaseClockDeps) {
    this.#deps = deps;
  }

  /** Reads the database's time. Differences below the round-trip time are ignored, so that the clock runs evenly. */
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

  /** @throws Error before the first synchronization */
  now(): Date {
    if (this.#offsetMs === undefined) throw new Error('the clock is not synchronized yet');
    return new Date(this.#deps.localMs() + this.#offsetMs);
  }
}

/** Opens a clock that is synchronized with the database once a minute. */
export async function openDatabaseClock(pool: pg.Pool, app: Pick<App<unknown>, 'own' | 'log'>): Promise<() => Date> {
  const readMs = async () => {
    return (await NOW.row(pool, {}))?.at.getTime() ?? Number.NaN;
  };
  const clock = new DatabaseClock({ readMs, localMs: () => performance.now() });
  await retryWhileDatabaseUnavailable(() => clock.synchronize(), START_WAIT_MS);
  const failed = 'clock synchronization with the database failed, will retry';
  app.own(new PeriodicTask({ everyMs: SYNC_INTERVAL_MS, run: () => clock.synchronize(), failed, log: app.log }));
  return () => clock.now();
}
