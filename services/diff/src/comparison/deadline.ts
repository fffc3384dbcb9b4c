/** A comparison exceeded its time limit. */
export class OutOfTime extends Error {
  constructor() {
    super('the comparison timed out');
    this.name = 'OutOfTime';
  }
}

/** The clock is read once per 2^12 steps: reading it costs more than most steps. */
const CHECK_INTERVAL_BITS = 12;

/** Deadline of a comparison, checked as work proceeds. */
export class Deadline {
  readonly #now: () => number;
  readonly #endsAtMs: number;
  #steps = 0;

  constructor(milliseconds: number, now: () => number = performance.now.bind(performance)) {
    this.#now = now;
    this.#endsAtMs = now() + milliseconds;
  }

  /** Counts work. @throws OutOfTime after the deadline */
  spend(steps = 1): void {
    const before = this.#steps;
    this.#steps += steps;
    if (before >> CHECK_INTERVAL_BITS !== this.#steps >> CHECK_INTERVAL_BITS) this.check();
  }

  /** @throws OutOfTime after the deadline */
  check(): void {
    if (this.isOver) throw new OutOfTime();
  }

  get isOver(): boolean {
    return this.#now() > this.#endsAtMs;
  }

  /** Returns a deadline for a part of the work: `milliseconds` from now, but not later than this one. */
  within(milliseconds: number): Deadline {
    const remaining = this.#endsAtMs - this.#now();
    return new Deadline(Math.min(milliseconds, Math.max(0, remaining)), this.#now);
  }
}
