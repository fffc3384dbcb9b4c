/**
 * Opens once the bus has been reachable for long enough that all recent events have been consumed. A row delayed by the bus or by this service
 * may reference a blob that no other row references.
 */
export class CatchUpGate {
  readonly #ping: () => Promise<void>;
  readonly #now: () => number;
  readonly #caughtUpMs: number;
  #sinceMs: number | undefined;

  constructor(deps: { ping: () => Promise<void>; now: () => number; caughtUpMs: number }) {
    this.#ping = deps.ping;
    this.#now = deps.now;
    this.#caughtUpMs = deps.caughtUpMs;
  }

  /** Returns true once caught up. Called once per sweep; the bus is assumed unchanged between two calls. */
  async isCaughtUp(): Promise<boolean> {
    try {
      await this.#ping();
      this.#sinceMs ??= this.#now();
    } catch {
      this.#sinceMs = undefined;
    }
    return this.#sinceMs !== undefined && this.#now() - this.#sinceMs >= this.#caughtUpMs;
  }
}
