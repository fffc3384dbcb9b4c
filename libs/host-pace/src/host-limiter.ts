import type { HostReport, Trouble } from './host-health.ts';

/** How fast a host may be fetched. */
export interface Pace {
  /** Concurrent fetches, of all jobs of the fleet. */
  readonly concurrency: number;
  /** Minimum time between two starts, ms. */
  readonly delayMs: number;
}

/** Permission to fetch from a host, released after the fetch. */
export interface Permit {
  /** Delay between this start and the next one, ms: the requested one, or a longer one that the latency of the host requires. */
  readonly delayMs: number;
  /**
   * Releases the permit. A report of the fetch's effect on the host, if given, decides whether the host is held.
   * @returns the state of the host
   */
  release(report?: HostReport): Promise<HostState>;
}

/** up: fetched at the agreed pace; held: paused, then fetched one page at a time; given_up: not fetched for now. */
export type HostState = 'up' | 'held' | 'given_up';

/** A refusal. */
export interface Wait {
  /** Milliseconds until the next try is worthwhile. */
  readonly ms: number;
  /** Why the host is held; undefined if it is only busy. */
  readonly why?: string;
  /** The kind of failure that caused the hold. */
  readonly trouble?: Trouble;
  /** True if the host failed for too long and its pages should not wait. */
  readonly isGivenUp?: boolean;
}

/** Limits concurrency and rate of fetches per host. */
export interface HostLimiter {
  acquire(host: string, pace: Pace): Promise<Permit | Wait>;
  /** Delays every start on the host by this many milliseconds. */
  hold(host: string, ms: number, why?: string): Promise<void>;
}

/** Expiry of a permit whose process died, ms. Longer than any capture. */
export const PERMIT_MS = 150_000;
/** Retry interval for a host without free permits, ms. */
export const BUSY_MS = 25;

export const isPermit = (response: Permit | Wait): response is Permit => 'release' in response;

/** Returns the slower of a pace and the crawl delay of robots.txt. */
export const withCrawlDelay = ({ concurrency, delayMs }: Pace, crawlDelaySeconds: number | undefined): Pace => ({
  concurrency,
  delayMs: Math.max(delayMs, (crawlDelaySeconds ?? 0) * 1000),
});

/**
 * Returns the share of a pace that one process keeps where the fleet has no common one: half, because a site is usually
 * requested by two (scrape and map). One fetch at a time is not divided.
 */
export const halfOf = ({ concurrency, delayMs }: Pace): Pace => ({
  concurrency: Math.max(1, Math.floor(concurrency / 2)),
  delayMs: delayMs * 2,
});
