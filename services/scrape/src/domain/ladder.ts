import { type CaptureOptions, needsBrowser } from './capture-options.ts';

export type Tier = 'http' | 'browser';

/** One step of the ladder: an engine, straight or through an exit, and what a page read by it costs. */
export interface Rung {
  readonly tier: Tier;
  readonly exit: boolean;
  readonly credits: number;
}

/** Why a page can't climb further than it has. */
export type Halt = 'TIER_LIMIT' | 'BUDGET_EXHAUSTED';

/** What would help a page that could not be read: scripts, another place, either, or nothing. */
export type Need = 'browser' | 'exit' | 'either' | 'nothing';

/** The rung as rows name it: `http`, `http_exit`, `browser`, `browser_exit`. */
export const nameOf = ({ tier, exit }: Pick<Rung, 'tier' | 'exit'>): string => (exit ? `${tier}_exit` : tier);

const NEEDS: Readonly<Record<string, Need>> = {
  SHELL: 'browser',
  CAPTCHA: 'either',
  BLOCKED: 'either',
  GEO_RESTRICTED: 'exit',
};

/** What a refusal of this kind may be helped by. A rate limit is never dodged through another door. */
export const needOf = (errorCode: string): Need => NEEDS[errorCode] ?? 'nothing';

/** The rungs a page may be tried on, cheapest first, by its options and by whether there are exits. */
export function rungsFor(ladder: readonly Rung[], options: CaptureOptions, hasExits: boolean): readonly Rung[] {
  const highest = options.renderJs === 'never' ? 'http' : options.maxTier;
  const onlyExits = options.useProxy === 'always' || options.country !== '';
  return ladder.filter(
    ({ tier, exit }) =>
      (tier === 'http' || highest === 'browser') &&
      (tier === 'browser' || !needsBrowser(options)) &&
      (exit ? hasExits && options.useProxy !== 'never' : !onlyExits),
  );
}

/**
 * Credits to set aside before a page is fetched: enough for the dearest rung it may reach, at minCredits the cheapest.
 * @returns `minCredits` Infinity where there is no rung at all
 */
export function creditsToLease(
  rungs: readonly Rung[],
  maxCredits: number | undefined,
): { maxCredits: number; minCredits: number } {
  const cap = maxCredits ?? Number.POSITIVE_INFINITY;
  const affordable = rungs.map((rung) => rung.credits).filter((credits) => credits <= cap);
  return { maxCredits: Math.max(0, ...affordable), minCredits: Math.min(...rungs.map((rung) => rung.credits)) };
}

/** Whether a rung gives a page that failed on another what it needs. */
function meets(need: Need, rung: Rung, last: Rung): boolean {
  const gainsBrowser = rung.tier === 'browser' && last.tier === 'http';
  const gainsExit = rung.exit && !last.exit;
  if (need === 'browser') return gainsBrowser && rung.exit === last.exit;
  if (need === 'exit') return gainsExit && rung.tier === last.tier;
  return need === 'either' && (gainsBrowser || gainsExit);
}

export interface Climb {
  /** Every rung there is, and those this page may be tried on. */
  readonly ladder: readonly Rung[];
  readonly rungs: readonly Rung[];
  /** Credits this page may cost. */
  readonly budget: number;
}

/** The next rung for a page that `last` could not read, or why there is none. */
export function nextRung(
  { ladder, rungs, budget }: Climb,
  last: Rung,
  need: Need,
): { rung: Rung } | { halt: Halt | undefined } {
  const above = (rung: Rung) => ladder.indexOf(rung) > ladder.indexOf(last) && meets(need, rung, last);
  const rung = rungs.find(above);
  if (rung !== undefined) return rung.credits <= budget ? { rung } : { halt: 'BUDGET_EXHAUSTED' };
  // What would have read it for certain: scripts for a page that waits for them.
  const ruledOut = need === 'browser' && ladder.some(above);
  return { halt: ruledOut ? 'TIER_LIMIT' : undefined };
}

/** The first rung to try: the cheapest, or the one that last read pages like this, where this page may use it. */
export function firstRung({ rungs, budget }: Climb, remembered: string | undefined): Rung | undefined {
  const known = rungs.find((rung) => nameOf(rung) === remembered);
  return known !== undefined && known.credits <= budget ? known : rungs[0];
}
