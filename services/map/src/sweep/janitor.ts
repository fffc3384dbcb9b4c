import type { Logger } from '@tidemark/service';
import type { DiscardStore } from '../store/discard-store.ts';

export interface JanitorDeps {
  readonly discards: DiscardStore;
  /** Takes some documents one step further. @returns how many were looked at */
  readonly collect: () => Promise<number>;
  readonly snapshotDays: number;
  readonly everyMs: number;
  readonly log: Logger;
}

/** A round gives way to the next, so that one kind of work never holds up another. */
const ROUND_MS = 20_000;

/** Throws away what has had its time, in the background and in small pieces: maps, snapshots, and then documents nobody names any more. */
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
    const { discards, collect, snapshotDays, log } = this.#deps;
    try {
      await this.#repeat(() => discards.discardMaps());
      await this.#repeat(() => discards.discardSnapshot(snapshotDays));
      await this.#repeat(async () => (await collect()) > 0);
    } catch (error) {
      log.warn({ err: error }, 'what has had its time could not be thrown away; the next round tries');
    }
  }

  async #repeat(work: () => Promise<boolean>): Promise<void> {
    const until = performance.now() + ROUND_MS;
    while (!this.#closing && performance.now() < until) if (!(await work())) return;
  }

  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#timer);
    await this.#round;
  }
}
