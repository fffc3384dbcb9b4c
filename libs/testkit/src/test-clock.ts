/** A clock for a service under test: the system's, until a test stops it and moves it. */
export class TestClock {
  #stoppedAtMs: number | undefined;

  now(): Date {
    return new Date(this.#stoppedAtMs ?? Date.now());
  }

  stop(): void {
    this.#stoppedAtMs = Date.now();
  }

  /** Moves a stopped clock forward. @throws Error where it runs */
  move(ms: number): void {
    if (this.#stoppedAtMs === undefined) throw new Error('the clock runs: stop it before it is moved');
    this.#stoppedAtMs += ms;
  }

  /** Lets it run with the system's again. */
  start(): void {
    this.#stoppedAtMs = undefined;
  }
}
