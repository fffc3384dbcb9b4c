/** A comparison has used up its time. */
export class OutOfTime extends Error {
  constructor() {
    super('the comparison ran out of time');
    this.name = 'OutOfTime';
  }
}

/** How many steps are taken between two looks at the clock. */
const STEPS = 4_096;

/** The end of a comparison's time, looked at as work is done. */
export class Deadline {
  readonly #now: () => number;
  readonly #endsAtMs: number;
  #steps = 0;

  constructor(now: () => number, milliseconds: number) {
    this.#now = now;
    this.#endsAtMs = now() + milliseconds;
  }

  /** @throws OutOfTime once there is none left */
  step(): void {
    this.#steps += 1;
    if (this.#steps % STEPS === 0) this.check();
  }

  /** @throws OutOfTime once there is none left */
  check(): void {
    if (this.#now() > this.#endsAtMs) throw new OutOfTime();
  }

  /** A part of the work that may take no longer than this, nor than there is. */
  within(milliseconds: number): Deadline {
    const left = this.#endsAtMs - this.#now();
    return new Deadline(this.#now, Math.min(milliseconds, Math.max(0, left)));
  }
}
