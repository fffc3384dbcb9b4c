import { within } from '@tidemark/deadline';

/** Wakes one waiter, or the next one if there is none yet. */
export class Signal {
  #isRaised = false;
  #wake: (() => void) | undefined;

  raise(): void {
    this.#isRaised = true;
    this.#wake?.();
  }

  async wait(forMs: number): Promise<void> {
    if (!this.#isRaised) {
      const raised = Promise.withResolvers<void>();
      this.#wake = raised.resolve;
      await within(raised.promise, forMs, () => undefined);
    }
    this.#wake = undefined;
    this.#isRaised = false;
  }
}
