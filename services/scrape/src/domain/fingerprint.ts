/** What is stored about similar pages: the rung that read them, how often in a row, and when last. */
export interface Fingerprint {
  /** `browser`, `http_exit` or `browser_exit`. Pages that the cheapest rung reads have no fingerprint. */
  readonly rung: string;
  /** Consecutive pages that only this rung could read. */
  readonly streak: number;
  /** Pages started on this rung since a cheaper one was last tried. */
  readonly skipped: number;
  readonly seenAt: Date;
}

/** Consecutive pages before cheaper rungs are skipped, and the decay that is tolerated. */
const MIN_STREAK = 3;
const MAX_DECAY = 0.5;
/** Every n-th page starts on the cheapest rung again. */
const RETRY_CHEAPEST_EVERY = 10;
/** Half-life of a streak, hours. */
const HALF_LIFE_HOURS = 24;
const HOUR_MS = 3_600_000;

/**
 * Returns the key of similar pages: host and first folder. A site may have an application under one folder and plain
 * pages under the others.
 */
export function fingerprintKey(url: string): string {
  const { host, pathname } = new URL(url);
  const [first, ...rest] = pathname.split('/').filter((part) => part !== '');
  return rest.length > 0 && first !== undefined ? `${host}/${first.slice(0, 100)}` : host;
}

/** Returns the streak after exponential decay. */
const decayedStreak = ({ streak, seenAt }: Fingerprint, now: Date): number =>
  streak * 0.5 ** ((now.getTime() - seenAt.getTime()) / (HALF_LIFE_HOURS * HOUR_MS));

/** Returns the rung to start on; undefined: the cheapest. */
export function startRung(known: Fingerprint | undefined, now: Date): string | undefined {
  if (known === undefined || decayedStreak(known, now) < MIN_STREAK - MAX_DECAY) return undefined;
  return known.skipped >= RETRY_CHEAPEST_EVERY ? undefined : known.rung;
}

export interface LadderResult {
  /** The rung that read the page; undefined if none did. */
  readonly readBy: string | undefined;
  /** True if it was the cheapest rung the page could use. */
  readonly isCheapest: boolean;
  /** True if the page started on the rung of the fingerprint, so that cheaper ones were not tried. */
  readonly startedFromFingerprint: boolean;
}

/** Returns the fingerprint after a page; undefined if none is kept. */
export function updateFingerprint(
  known: Fingerprint | undefined,
  { readBy, isCheapest, startedFromFingerprint }: LadderResult,
  now: Date,
): Fingerprint | undefined {
  if (readBy === undefined) return known;
  if (isCheapest) return undefined;
  const streak = known?.rung === readBy ? Math.min(20, decayedStreak(known, now)) : 0;
  // A page that started on the fingerprint's rung only proves that this rung still works.
  if (startedFromFingerprint)
    return { rung: readBy, streak: Math.max(streak, MIN_STREAK), skipped: (known?.skipped ?? 0) + 1, seenAt: now };
  return { rung: readBy, streak: streak + 1, skipped: 0, seenAt: now };
}
