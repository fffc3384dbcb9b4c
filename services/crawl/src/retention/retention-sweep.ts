import { IdempotencyKeys } from '@tidemark/jobs';
import { type App, type Logger, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type pg from 'pg';
import type { DiscardStore } from '../store/retention/discard-store.ts';
import type { HeldHostStore } from '../store/runs/held-host-store.ts';

const EVERY_MS = 10 * 60_000;

/**
 * Deletes expired data in the background in small batches: runs without a project a day after their end, runs of deleted projects, and runs
 * that their project has expired. Publishes an event for each discarded run.
 */
export class RetentionSweep {
  readonly #discards: DiscardStore;
  readonly #held: HeldHostStore;
  readonly #task: PeriodicTask;
  /** When low-priority data was last expired. */
  #expiredAt = Number.NEGATIVE_INFINITY;
  /** A sweep was requested while one is in progress. */
  #isRequested = false;

  constructor(discards: DiscardStore, held: HeldHostStore, log: Logger) {
    this.#discards = discards;
    this.#held = held;
    const failed = 'retention sweep failed, will retry';
    this.#task = new PeriodicTask({ everyMs: EVERY_MS, run: (isOpen) => this.#sweepOnce(isOpen), failed, log });
  }

  /** Discards expired runs now. Never rejects. */
  async sweep(): Promise<void> {
    this.#isRequested = true;
    await this.#task.runNow();
    if (this.#isRequested) await this.#task.runNow();
  }

  async #sweepOnce(isOpen: () => boolean): Promise<void> {
    if (performance.now() - this.#expiredAt >= EVERY_MS / 2) {
      await this.#held.deleteExpired();
      await this.#discards.cancelRunsOfDeleted();
      this.#expiredAt = performance.now();
    }
    for (let isDone = false; isOpen() && (!isDone || this.#isRequested); ) {
      this.#isRequested = false;
      isDone = await repeatUntilDone(() => this.#discards.discardBatch(), isOpen);
    }
  }

  close(): Promise<void> {
    return this.#task.close();
  }
}

/** Opens the retention sweep of runs and the expiry of idempotency keys. */
export function openRetention(
  app: Pick<App<unknown>, 'own' | 'log'>,
  pool: pg.Pool,
  stores: { readonly discards: DiscardStore; readonly held: HeldHostStore },
): RetentionSweep {
  app.own(new IdempotencyKeys(pool).openExpiry(app.log));
  return app.own(new RetentionSweep(stores.discards, stores.held, app.log));
}
