import type { Logger } from './logger.ts';

export interface PeriodicTaskDeps {
  readonly everyMs: number;
  /** `goesOn` is false once the process ends: a long round looks at it. */
  readonly run: (isOpen: () => boolean) => Promise<unknown>;
  /** What is logged where a round fails. */
  readonly failed: string;
  readonly log: Logger;
}

/** Longest the end of a process waits for a round under way. */
const CLOSE_MS = 4_000;
/** One kind of work gives way to the next after this long. */
const RUN_LIMIT_MS = 20_000;

/** Does something again and again, never twice at once; what fails is left to the next round. */
export class PeriodicTask {
  readonly #deps: PeriodicTaskDeps;
  readonly #timer: NodeJS.Timeout;
  #round: Promise<void> | undefined;
  #isClosing = false;

  constructor(deps: PeriodicTaskDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.runNow(), deps.everyMs);
  }

  /** A round, now; the one under way where there is one. Never rejects. */
  runNow(): Promise<void> {
    this.#round ??= this.#runNow().finally(() => {
      this.#round = undefined;
    });
    return this.#round;
  }

  async #runNow(): Promise<void> {
    try {
      await this.#deps.run(() => !this.#isClosing);
    } catch (error) {
      this.#deps.log.warn({ err: error }, this.#deps.failed);
    }
  }

  /** Begins no more rounds, and waits a little for the one under way. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#timer);
    await Promise.race([this.#round, new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())]);
  }
}

/**
 * Does one piece of work after another until none is left, the time for it is over or the process ends.
 * @param work answers whether there was anything to do
 * @returns whether nothing is left
 */
export async function repeatUntilDone(work: () => Promise<boolean>, isOpen: () => boolean): Promise<boolean> {
  const until = performance.now() + RUN_LIMIT_MS;
  while (isOpen() && performance.now() < until) if (!(await work())) return true;
  return false;
}
