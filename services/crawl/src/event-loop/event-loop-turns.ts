/** Time a loop may take before other work of the process gets a turn, ms. */
const TURN_MS = 10;

/** Interrupts a long loop by the time it takes, since the cost of a URL depends on the patterns. */
export class EventLoopTurns {
  #turnEndsAt = performance.now() + TURN_MS;

  /** Whether the turn is over; the caller then awaits `next`. */
  get isOver(): boolean {
    return performance.now() >= this.#turnEndsAt;
  }

  /** Waits until the event loop has handled other work. */
  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#turnEndsAt = performance.now() + TURN_MS;
  }
}
