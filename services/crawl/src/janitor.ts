import type { Logger } from '@tidemark/service';
import type { DiscardStore } from './store/discard-store.ts';
import type { HeldStore } from './store/held-store.ts';
import type { RunStore } from './store/run-store.ts';

const EVERY_MS = 10 * 60_000;
/** Hours a run without a project is kept after its end. */
const EPHEMERAL_HOURS = 24;
const DISCARDED_A_ROUND = 100;

/** Forgets what has had its time: idempotency keys and runs without a project a day after, runs of deleted projects at once. The archive hears of runs. */
export class Janitor {
  readonly #runs: RunStore;
  readonly #discards: DiscardStore;
  readonly #held: HeldStore;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;

  constructor(runs: RunStore, discards: DiscardStore, held: HeldStore, log: Logger) {
    this.#runs = runs;
    this.#discards = discards;
    this.#held = held;
    this.#log = log;
    this.#timer = setInterval(() => void this.round(), EVERY_MS);
  }

  /** Never rejects: what can't be done now is done the next time. */
  async round(): Promise<void> {
    try {
      await this.#runs.forgetOldKeys();
      await this.#held.forgetOld();
      await this.#discards.cancelOrphans();
    } catch (error) {
      this.#log.warn({ err: error }, 'what is old could not be forgotten; the next round tries');
    }
    await this.clear();
  }

  /** Discards runs nobody is to have any more: at once what a deleted project had. Never rejects. */
  async clear(): Promise<void> {
    try {
      for (let i = 0; i < DISCARDED_A_ROUND; i += 1) if (!(await this.#discards.discardOld(EPHEMERAL_HOURS))) return;
    } catch (error) {
      this.#log.warn({ err: error }, 'old runs could not be discarded; the next round tries');
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
