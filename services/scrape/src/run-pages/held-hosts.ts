import type { HeldHost } from '@tidemark/contracts/crawl/v1/crawl';

/** Tolerance for clock differences, ms: holds that differ by less are reported once. */
const SAME_MS = 1_000;
const MAX_REPORTED_HOSTS = 100;

interface Hold {
  readonly until: Date;
  readonly why: string;
}

/** The hosts that pages of this process wait for, by run. */
export class HeldHosts {
  readonly #runs = new Map<string, Map<string, Hold>>();

  /** Records a hold. @returns true if it is new or has changed */
  note(runId: string, host: string, hold: Hold): boolean {
    const holds = this.#runs.get(runId) ?? new Map<string, Hold>();
    this.#runs.set(runId, holds);
    const known = holds.get(host);
    const isSame = known?.why === hold.why && Math.abs(known.until.getTime() - hold.until.getTime()) < SAME_MS;
    if (!isSame) holds.set(host, hold);
    return !isSame;
  }

  /** Returns the hosts that a run's pages wait for now. */
  of(runId: string, now: Date): HeldHost[] {
    const holds = this.#runs.get(runId);
    if (holds === undefined) return [];
    for (const [host, { until }] of holds) if (until <= now) holds.delete(host);
    if (holds.size === 0) this.#runs.delete(runId);
    return [...holds].slice(0, MAX_REPORTED_HOSTS).map(([host, hold]) => ({ host, ...hold }));
  }

  /** Drops runs that have no pages in progress in this process. */
  keepOnly(runIds: ReadonlySet<string>): void {
    for (const runId of this.#runs.keys()) if (!runIds.has(runId)) this.#runs.delete(runId);
  }
}
