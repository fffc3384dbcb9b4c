/** How a host fails: it gives no answer; it answers with faults of its own; it can't say what robots may fetch. */
export const TROUBLES = ['silent', 'faulty', 'robots'] as const;
export type Trouble = (typeof TROUBLES)[number];

/** What a fetch says of its host. */
export type Outcome = 'answered' | { readonly trouble: Trouble; readonly why: string };

/** How long one kind of trouble is put up with. */
export interface Patience {
  /** Fetches that fail in a row, over the whole fleet, before the host is left alone. */
  readonly fails: number;
  /** It is left alone this long first, then twice as long each time. */
  readonly firstMs: number;
  readonly mostMs: number;
  /** Times it is left alone before it is given up. */
  readonly rounds: number;
}

/** A host without an answer is given up after two minutes; one that answers with faults may have healthy pages yet. */
export const PATIENCE: Readonly<Record<Trouble, Patience>> = {
  silent: { fails: 5, firstMs: 2_000, mostMs: 60_000, rounds: 6 },
  faulty: { fails: 8, firstMs: 2_000, mostMs: 30_000, rounds: 12 },
  // As long as a robots.txt that answered with a fault is believed.
  robots: { fails: 1, firstMs: 60_000, mostMs: 60_000, rounds: 5 },
};

/** A host that was given up is tried again after this long, by one page. */
export const GIVEN_UP_MS = 60_000;
/** What a host did is forgotten after this long. */
export const FORGET_MS = 15 * 60_000;

/** How a host has been failing. */
export interface Health {
  readonly fails: number;
  /** Times it has been left alone for it. */
  readonly round: number;
  /** When it may be asked again. */
  readonly untilMs: number;
}

export const HEALTHY: Health = { fails: 0, round: 0, untilMs: 0 };

export interface Verdict {
  readonly health: Health;
  /** Milliseconds it is left alone from now on; undefined: it isn't, or was already. */
  readonly holdMs: number | undefined;
  readonly isGivenUp: boolean;
}

/** What becomes of a host one more fetch of which has failed that began at `beganMs`. The script of `RedisPace` says the same. */
export function failedAgain(health: Health, patience: Patience, beganMs: number, nowMs: number): Verdict {
  // What began before the host was left alone says nothing that was not known.
  if (beganMs < health.untilMs) return { health, holdMs: undefined, isGivenUp: health.round > patience.rounds };
  const fails = health.fails + 1;
  if (health.round === 0 && fails < patience.fails)
    return { health: { ...health, fails }, holdMs: undefined, isGivenUp: false };
  const round = Math.min(health.round + 1, patience.rounds + 1);
  const isGivenUp = round > patience.rounds;
  const holdMs = isGivenUp ? GIVEN_UP_MS : Math.min(patience.mostMs, patience.firstMs * 2 ** (round - 1));
  return { health: { fails: 0, round, untilMs: nowMs + holdMs }, holdMs, isGivenUp };
}
