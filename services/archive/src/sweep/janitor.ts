import type { Logger } from '@tidemark/service';
import type { DiscardStore } from '../store/discard-store.ts';

export interface JanitorDeps {
  readonly discards: DiscardStore;
  /** Takes some blobs one step further. @returns how many were looked at */
  readonly collect: () => Promise<number>;
  /** Whether every fact told of late has been heard: a row on its way may name a blob. */
  readonly hasHeardAll: () => Promise<boolean>;
  readonly retentionDays: number;
  readonly now: () => number;
  readonly everyMs: number;
  readonly log: Logger;
}

/** A round gives way to the next, so that one kind of work never holds up another. */
const ROUND_MS = 20_000;
const DAY_MS = 86_400_000;

/** Throws away what has had its time, in the background and in small pieces: pages first, and then the blobs nobody names any more. */
export class Janitor {
  readonly #deps: JanitorDeps;
  readonly #timer: NodeJS.Timeout;
  #round: Promise<void> | undefined;
  #closing = false;

  constructor(deps: JanitorDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => {
      this.#round ??= this.#sweep().finally(() => {
        this.#round = undefined;
      });
    }, deps.everyMs);
  }

  /** Never rejects: what can't be done now is done in the next round. */
  async #sweep(): Promise<void> {
    const { discards, collect, hasHeardAll, retentionDays, now, log } = this.#deps;
    const before = new Date(now() - retentionDays * DAY_MS);
    try {
      await this.#repeat(() => discards.discardSome());
      await this.#repeat(() => discards.expireSome(before));
      const allKeyed = await this.#repeat(() => discards.keySome());
      // A page from before may name anything until it has been looked at.
      if (allKeyed && (await hasHeardAll())) await this.#repeat(async () => (await collect()) > 0);
    } catch (error) {
      log.warn({ err: error }, 'what has had its time could not be thrown away; the next round tries');
    }
  }

  /** @returns whether the work came to its end */
  async #repeat(work: () => Promise<boolean>): Promise<boolean> {
    const until = this.#deps.now() + ROUND_MS;
    while (!this.#closing && this.#deps.now() < until) if (!(await work())) return true;
    return false;
  }

  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#timer);
    await this.#round;
  }
}
