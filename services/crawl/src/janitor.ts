import { IdempotencyKeys } from '@tidemark/jobs';
import { type App, type Logger, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import type pg from 'pg';
import type { DiscardStore } from './store/discard-store.ts';
import type { HeldStore } from './store/held-store.ts';

const EVERY_MS = 10 * 60_000;

/**
 * Forgets what has had its time, in the background and in small pieces: runs without a project a day after, runs of
 * deleted projects and those that are kept no longer at once. The archive hears of runs.
 */
export class Janitor {
  readonly #discards: DiscardStore;
  readonly #held: HeldStore;
  readonly #rounds: PeriodicTask;
  /** When it last forgot what nobody waits to see forgotten. */
  #forgotAt = Number.NEGATIVE_INFINITY;
  /** There may be something to throw away that the round under way has passed already. */
  #isAsked = false;

  constructor(discards: DiscardStore, held: HeldStore, log: Logger) {
    this.#discards = discards;
    this.#held = held;
    const failed = 'what is old could not be forgotten; the next round tries';
    this.#rounds = new PeriodicTask({ everyMs: EVERY_MS, run: (goesOn) => this.#round(goesOn), failed, log });
  }

  /** Discards runs nobody is to have any more, now. Never rejects. */
  async clear(): Promise<void> {
    this.#isAsked = true;
    await this.#rounds.runNow();
    if (this.#isAsked) await this.#rounds.runNow();
  }

  async #round(goesOn: () => boolean): Promise<void> {
    if (performance.now() - this.#forgotAt >= EVERY_MS / 2) {
      await this.#held.forgetOld();
      await this.#discards.cancelOrphans();
      this.#forgotAt = performance.now();
    }
    for (let isDone = false; goesOn() && (!isDone || this.#isAsked); ) {
      this.#isAsked = false;
      isDone = await repeatUntilDone(() => this.#discards.discardSome(), goesOn);
    }
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }
}

/** Opens the retention sweep of runs and the expiry of idempotency keys. */
export function openRetention(
  app: Pick<App<unknown>, 'own' | 'log'>,
  pool: pg.Pool,
  stores: { readonly discards: DiscardStore; readonly held: HeldStore },
): Janitor {
  app.own(new IdempotencyKeys(pool).openExpiry(app.log));
  return app.own(new Janitor(stores.discards, stores.held, app.log));
}
