import type { Logger } from '@tidemark/service';

export interface RoundsDeps {
  readonly everyMs: number;
  readonly round: () => Promise<unknown>;
  /** What is logged where a round fails. */
  readonly failed: string;
  readonly log: Logger;
}

/** Does something again and again, never twice at once; what fails is left to the next round. */
export class Rounds {
  readonly #deps: RoundsDeps;
  readonly #timer: NodeJS.Timeout;
  #isUnderWay = false;

  constructor(deps: RoundsDeps) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.go(), deps.everyMs);
  }

  /** One round, now, unless one is under way. Never rejects. */
  async go(): Promise<void> {
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    try {
      await this.#deps.round();
    } catch (error) {
      this.#deps.log.warn({ err: error }, this.#deps.failed);
    }
    this.#isUnderWay = false;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
