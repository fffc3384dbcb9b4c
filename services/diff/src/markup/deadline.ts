/** The comparison's time is over. */
export class OutOfTime extends Error {}

/** Time that is looked at often costs little: the clock itself is read every few thousand steps. */
export class Deadline {
  readonly #endsAtMs: number;
  #steps = 0;

  constructor(deadlineMs: number) {
    this.#endsAtMs = performance.now() + deadlineMs;
  }

  /** @throws OutOfTime */
  spend(steps = 1): void {
    const before = this.#steps;
    this.#steps += steps;
    if (before >> 12 !== this.#steps >> 12 && this.isOver) throw new OutOfTime();
  }

  get isOver(): boolean {
    return performance.now() > this.#endsAtMs;
  }
}
