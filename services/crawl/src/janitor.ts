import type { Logger } from '@tidemark/service';
import type { HeldStore } from './store/held-store.ts';
import type { RunStore } from './store/run-store.ts';

const EVERY_MS = 10 * 60_000;
/** Hours a run without a project is kept after its end. */
const EPHEMERAL_HOURS = 24;
const DISCARDED_A_ROUND = 100;

/** Forgets what has had its time, each a day after: idempotency keys, and runs without a project, of which the archive hears. */
export class Janitor {
  readonly #runs: RunStore;
  readonly #held: HeldStore;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;

  constructor(runs: RunStore, held: HeldStore, log: Logger) {
    this.#runs = runs;
    this.#held = held;
    this.#log = log;
    this.#timer = setInterval(() => void this.round(), EVERY_MS);
  }

  /** Never rejects: what can't be done now is done the next time. */
  async round(): Promise<void> {
    try {
      await this.#runs.forgetOldKeys();
      await this.#held.forgetOld();
      for (let i = 0; i < DISCARDED_A_ROUND; i += 1) if (!(await this.#runs.discardOld(EPHEMERAL_HOURS))) return;
    } catch (error) {
      this.#log.warn({ err: error }, 'old runs could not be discarded; the next round tries');
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
