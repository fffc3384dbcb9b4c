import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from './logger.ts';

export interface PeriodicTaskDeps {
  readonly everyMs: number;
  /** `isOpen` returns false after `close`; a long run checks it. */
  readonly run: (isOpen: () => boolean) => Promise<unknown>;
  /** Message logged when a run fails. */
  readonly failed: string;
  readonly log: Logger;
}

/** Maximum time `close` waits for the current run, ms. */
const CLOSE_MS = 4_000;
/** Maximum duration of one `repeatUntilDone`, ms, so that several tasks in a run all progress. */
const RUN_LIMIT_MS = 20_000;

/** Runs a task at an interval, one run at a time. A failed run is logged and repeated at the next interval. */
export class PeriodicTask {
  readonly #deps: PeriodicTaskDeps;
  readonly #timer: NodeJS.Timeout;
  #round: Promise<void> | undefined;
  #isClosing = false;

  constructor(deps: PeriodicTaskDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.runNow(), deps.everyMs);
  }

  /** Starts a run, or joins the current one. Never rejects. */
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

  /** Starts no more runs and waits up to `CLOSE_MS` for the current one. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#timer);
    await Promise.race([this.#round, sleep(CLOSE_MS, undefined, { ref: false })]);
  }
}

/**
 * Calls `work` until it returns false, `RUN_LIMIT_MS` have passed or `isOpen` returns false.
 * @param work processes one batch; returns whether there was one
 * @returns whether no work is left
 */
export async function repeatUntilDone(work: () => Promise<boolean>, isOpen: () => boolean): Promise<boolean> {
  const until = performance.now() + RUN_LIMIT_MS;
  while (isOpen() && performance.now() < until) if (!(await work())) return true;
  return false;
}
