import type { Logger } from '@tidemark/service';
import type { RunStore } from './store/run-store.ts';

const EVERY_MS = 10 * 60_000;
/** Hours a run without a project is kept after its end. */
const EPHEMERAL_HOURS = 24;
const DISCARDED_A_ROUND = 100;

/** Forgets what has had its time: idempotency keys, and runs without a project, each a day after. */
export class Janitor {
  readonly #runs: RunStore;
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;

  constructor(runs: RunStore, log: Logger) {
    this.#runs = runs;
    this.#log = log;
    this.#timer = setInterval(() => void this.round(), EVERY_MS);
  }

  /** Never rejects: what can't be done now is done the next time. */
  async round(): Promise<void> {
    try {
      await this.#runs.forgetOldKeys();
      for (let i = 0; i < DISCARDED_A_ROUND; i += 1) if (!(await this.#runs.discardOld(EPHEMERAL_HOURS))) return;
    } catch (error) {
      this.#log.warn({ err: error }, 'old runs could not be discarded; the next round tries');
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
