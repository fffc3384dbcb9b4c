/** What is remembered of pages alike: the rung that read them, how often in a row, and when last. */
export interface Fingerprint {
  /** `browser`, `http_exit` or `browser_exit`; pages that the cheapest rung reads are not remembered. */
  readonly rung: string;
  /** Pages in a row that only this rung could read. */
  readonly streak: number;
  /** Pages begun on this rung since a cheaper one was tried. */
  readonly skipped: number;
  readonly seenAt: Date;
}

/** Pages in a row before cheaper rungs are left out, and what may have faded of them. */
const CERTAIN_FROM = 3;
const FADED_MOST = 0.5;
/** Every so many pages the cheapest rung is tried again. */
const TRY_AGAIN_EVERY = 10;
/** Hours after which a memory is worth half. */
const HALF_LIFE_HOURS = 24;
const HOUR_MS = 3_600_000;

/**
 * Pages that are alike for this purpose: the same host and first folder. A site may have an application under one folder and
 * plain pages under all others.
 */
export function likeness(url: string): string {
  const { host, pathname } = new URL(url);
  const [first, ...rest] = pathname.split('/').filter((part) => part !== '');
  return rest.length > 0 && first !== undefined ? `${host}/${first.slice(0, 100)}` : host;
}

/** How much of a streak is left after the time that has passed. */
const faded = ({ streak, seenAt }: Fingerprint, now: Date): number =>
  streak * 0.5 ** ((now.getTime() - seenAt.getTime()) / (HALF_LIFE_HOURS * HOUR_MS));

/** The rung to begin on; undefined: the cheapest. */
export function rungToBeginOn(known: Fingerprint | undefined, now: Date): string | undefined {
  if (known === undefined || faded(known, now) < CERTAIN_FROM - FADED_MOST) return undefined;
  return known.skipped >= TRY_AGAIN_EVERY ? undefined : known.rung;
}

export interface Experience {
  /** The rung that read the page; undefined where none did. */
  readonly readBy: string | undefined;
  /** Whether that was the cheapest the page could be tried on. */
  readonly isCheapest: boolean;
  /** Whether it was begun on a remembered rung, so that cheaper ones were not tried. */
  readonly begunRemembered: boolean;
}

/** What to remember after a page. @returns undefined where there is nothing to remember */
export function learn(
  known: Fingerprint | undefined,
  { readBy, isCheapest, begunRemembered }: Experience,
  now: Date,
): Fingerprint | undefined {
  if (readBy === undefined) return known;
  if (isCheapest) return undefined;
  const streak = known?.rung === readBy ? Math.min(20, faded(known, now)) : 0;
  // A page begun on the remembered rung proves only that the rung still serves.
  if (begunRemembered)
    return { rung: readBy, streak: Math.max(streak, CERTAIN_FROM), skipped: (known?.skipped ?? 0) + 1, seenAt: now };
  return { rung: readBy, streak: streak + 1, skipped: 0, seenAt: now };
}
