/** A comparison has used up its time. */
export class OutOfTime extends Error {
  constructor() {
    super('the comparison ran out of time');
    this.name = 'OutOfTime';
  }
}

/** The clock is read every so many steps: to look at it costs more than most of them. */
const CHECK_INTERVAL_BITS = 12;

/** The end of a comparison's time, looked at as work is done. */
export class Deadline {
  readonly #now: () => number;
  readonly #endsAtMs: number;
  #steps = 0;

  constructor(milliseconds: number, now: () => number = performance.now.bind(performance)) {
    this.#now = now;
    this.#endsAtMs = now() + milliseconds;
  }

  /** Says that so much work is done. @throws OutOfTime once there is no time left */
  spend(steps = 1): void {
    const before = this.#steps;
    this.#steps += steps;
    if (before >> CHECK_INTERVAL_BITS !== this.#steps >> CHECK_INTERVAL_BITS) this.check();
  }

  /** @throws OutOfTime once there is none left */
  check(): void {
    if (this.isOver) throw new OutOfTime();
  }

  get isOver(): boolean {
    return this.#now() > this.#endsAtMs;
  }

  /** A part of the work that may take no longer than this, nor than there is. */
  within(milliseconds: number): Deadline {
    const left = this.#endsAtMs - this.#now();
    return new Deadline(Math.min(milliseconds, Math.max(0, left)), this.#now);
  }
}
