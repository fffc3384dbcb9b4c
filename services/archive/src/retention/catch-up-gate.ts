/**
 * Whether facts have been heard for long enough that none of late is missing. A row that waited for the bus, or for this service,
 * may name a blob that no other row names any more.
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

  /** Asked every round: between two rounds the bus is taken to have been what it was in both. */
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
