/** Maximum number of remembered jobs; the oldest is discarded first. */
const MAX_JOBS = 1_000;
const KEPT_MS = 600_000;

/**
 * Remembers the scrapes and maps whose requests were answered with 408. The clients send such a request again, which is answered by the same job.
 * Kept in memory: another process of the gateway starts a new job.
 */
export class ContinuedJobs {
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
    if (this.#jobs.size >= MAX_JOBS && oldest !== undefined) this.#jobs.delete(oldest);
    this.#jobs.set(name, { id, untilMs: performance.now() + KEPT_MS });
  }

  remove(name: string): void {
    this.#jobs.delete(name);
  }
}
