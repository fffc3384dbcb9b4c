/** Scrapes whose request has timed out at most; the oldest is forgotten first. */
const MAX_SCRAPES = 1_000;
const KEPT_MS = 600_000;

/**
 * Remembers the jobs of scrapes that were answered with 408. The clients send such a request again, which is answered by the same job.
 * Kept in memory: another process of the gateway starts the scrape anew.
 */
export class ContinuedScrapes {
  readonly #jobs = new Map<string, { readonly id: string; readonly untilMs: number }>();

  /** Returns the job of a request, if there is one. */
  find(name: string): string | undefined {
    const found = this.#jobs.get(name);
    if (found === undefined || found.untilMs > performance.now()) return found?.id;
    this.#jobs.delete(name);
    return undefined;
  }

  keep(name: string, id: string): void {
    this.#jobs.delete(name);
    const [oldest] = this.#jobs.keys();
    if (this.#jobs.size >= MAX_SCRAPES && oldest !== undefined) this.#jobs.delete(oldest);
    this.#jobs.set(name, { id, untilMs: performance.now() + KEPT_MS });
  }

  forget(name: string): void {
    this.#jobs.delete(name);
  }
}
