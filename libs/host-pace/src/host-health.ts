import type { LatencySample } from './latency.ts';

/** Kinds of host failures: no response; server errors; a robots.txt that cannot be read. */
export const TROUBLES = ['silent', 'faulty', 'robots'] as const;
export type Trouble = (typeof TROUBLES)[number];

/** What a fetch reports about its host. */
export type HostReport = Answered | Failed | Unused;

/** The permit was not used for a page: its start does not count for the delay. */
export interface Unused {
  readonly kind: 'unused';
  readonly latency: undefined;
}

export interface Answered {
  readonly kind: 'answered';
  /** Undefined: not measured. */
  readonly latency: LatencySample | undefined;
}

export interface Failed {
  readonly kind: 'failed';
  readonly trouble: Trouble;
  readonly why: string;
  /** Undefined: no response, or not measured. */
  readonly latency: LatencySample | undefined;
}

/** Circuit breaker parameters for one kind of failure. */
export interface BackoffPolicy {
  /** Consecutive failures, over the whole fleet, before the host is held. */
  readonly fails: number;
  /** Length of the first hold; doubled for each further one. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** Number of holds before the host is given up. */
  readonly rounds: number;
}

/** A silent host is given up after two minutes. A host with server errors may have healthy pages, so it gets longer. */
export const BACKOFF_POLICIES: Readonly<Record<Trouble, BackoffPolicy>> = {
  silent: { fails: 5, firstMs: 2_000, mostMs: 60_000, rounds: 6 },
  faulty: { fails: 8, firstMs: 2_000, mostMs: 30_000, rounds: 12 },
  // The cache lifetime of a robots.txt that could not be read.
  robots: { fails: 1, firstMs: 60_000, mostMs: 60_000, rounds: 5 },
};

/** A host that was given up is tried again with one page after this time. */
export const GIVEN_UP_MS = 60_000;
/** Expiry of a host's failure history. */
export const HISTORY_MS = 15 * 60_000;

/** Failure history of a host. */
export interface Health {
  readonly fails: number;
  /** Number of holds so far. */
  readonly round: number;
  /** End of the current hold. */
  readonly untilMs: number;
}

export const HEALTHY: Health = { fails: 0, round: 0, untilMs: 0 };

export interface HealthChange {
  readonly health: Health;
  /** Length of the hold that starts now, ms; undefined: none starts. */
  readonly holdMs: number | undefined;
  readonly isGivenUp: boolean;
}

/**
 * Returns the history after one more failed fetch that started at `beganMs`. The script in `RedisHostLimiter`
 * implements the same.
 */
export function failedAgain(health: Health, policy: BackoffPolicy, beganMs: number, nowMs: number): HealthChange {
  // A fetch that started before the hold adds no information.
  if (beganMs < health.untilMs) return { health, holdMs: undefined, isGivenUp: health.round > policy.rounds };
  const fails = health.fails + 1;
  if (health.round === 0 && fails < policy.fails)
    return { health: { ...health, fails }, holdMs: undefined, isGivenUp: false };
  const round = Math.min(health.round + 1, policy.rounds + 1);
  const isGivenUp = round > policy.rounds;
  const holdMs = isGivenUp ? GIVEN_UP_MS : Math.min(policy.mostMs, policy.firstMs * 2 ** (round - 1));
  return { health: { fails: 0, round, untilMs: nowMs + holdMs }, holdMs, isGivenUp };
}
