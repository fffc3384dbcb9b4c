/** Time for which a request can be logged late: instances of the gateway store their requests each second, and retry while a service is down, ms. */
const LATE_MS = 30_000;

interface Logged {
  readonly id: string;
  readonly at: string;
}

/**
 * Selects the requests that were not printed before. Several instances of the gateway store requests out of order, so each read covers the last 30
 * seconds again; the ids that were seen in this time are kept.
 */
export class SeenRequests {
  readonly #seen = new Map<string, number>();
  readonly #startedAtMs: number;
  #newestAtMs: number;

  /** @param nowMs requests before this time are not printed, ms since the epoch */
  constructor(nowMs: number) {
    this.#startedAtMs = nowMs;
    this.#newestAtMs = nowMs;
  }

  /** Returns the time from which requests are read again. */
  from(): Date {
    return new Date(Math.max(this.#startedAtMs, this.#newestAtMs - LATE_MS));
  }

  /** Returns those of the read requests that are new, in the order of their time. */
  add<T extends Logged>(requests: readonly T[]): T[] {
    const fresh = requests.filter(({ id }) => !this.#seen.has(id)).sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const { id, at } of fresh) {
      this.#seen.set(id, Date.parse(at));
      this.#newestAtMs = Math.max(this.#newestAtMs, Date.parse(at));
    }
    for (const [id, atMs] of this.#seen) if (atMs < this.#newestAtMs - LATE_MS) this.#seen.delete(id);
    return fresh;
  }
}
