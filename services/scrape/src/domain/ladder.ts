import { AppError } from '@tidemark/errors';
import { type CaptureOptions, needsBrowser } from './capture-options.ts';
import type { Tier } from './tier.ts';

export type { Tier } from './tier.ts';

/** One step of the ladder: an engine, direct or through an exit, and its price per page. */
export interface Rung {
  readonly tier: Tier;
  readonly exit: boolean;
  readonly credits: number;
}

/** The limit that stops a page from climbing. */
export type Halt = 'TIER_LIMIT' | 'BUDGET_EXHAUSTED';

/** What a page that could not be read lacks: a browser, an exit, either, or nothing that a rung provides. */
export type Need = 'browser' | 'exit' | 'either' | 'nothing';

/** Returns the rung's name in page rows: `http`, `http_exit`, `browser`, `browser_exit`. */
export const nameOf = ({ tier, exit }: Pick<Rung, 'tier' | 'exit'>): string => (exit ? `${tier}_exit` : tier);

const NEEDS: Readonly<Record<string, Need>> = {
  SHELL: 'browser',
  CAPTCHA: 'either',
  BLOCKED: 'either',
  GEO_RESTRICTED: 'exit',
};

/** Returns what may help against a refusal. A rate limit is never evaded through another exit. */
export const needOf = (errorCode: string): Need => NEEDS[errorCode] ?? 'nothing';

/** Returns what may help after a page was read; nothing unless it was blocked. */
export const needAfter = ({ verdict, errorCode }: { readonly verdict: string; readonly errorCode: string }): Need =>
  verdict === 'blocked' ? needOf(errorCode) : 'nothing';

/** Returns the rungs a page may use, cheapest first, by its options and by whether exits exist. */
export function rungsFor(ladder: readonly Rung[], options: CaptureOptions, hasExits: boolean): readonly Rung[] {
  const highest = options.renderJs === 'never' ? 'http' : options.maxTier;
  const onlyExits = options.useProxy === 'always' || options.country !== undefined;
  return ladder.filter(
    ({ tier, exit }) =>
      (tier === 'http' || highest === 'browser') &&
      (tier === 'browser' || !needsBrowser(options)) &&
      (exit ? hasExits && options.useProxy !== 'never' : !onlyExits),
  );
}

/**
 * Returns the credits to reserve before a fetch: `maxCredits` covers the dearest rung the page may reach,
 * `minCredits` the cheapest. `minCredits` is Infinity if there is no rung.
 */
export function creditsToLease(
  rungs: readonly Rung[],
  maxCredits: number | undefined,
): { maxCredits: number; minCredits: number } {
  const cap = maxCredits ?? Number.POSITIVE_INFINITY;
  const affordable = rungs.map((rung) => rung.credits).filter((credits) => credits <= cap);
  return { maxCredits: Math.max(0, ...affordable), minCredits: Math.min(...rungs.map((rung) => rung.credits)) };
}

/** Returns true if `rung` provides what the page lacked on `last`. */
function meets(need: Need, rung: Rung, last: Rung): boolean {
  const gainsBrowser = rung.tier === 'browser' && last.tier === 'http';
  const gainsExit = rung.exit && !last.exit;
  if (need === 'browser') return gainsBrowser && rung.exit === last.exit;
  if (need === 'exit') return gainsExit && rung.tier === last.tier;
  return need === 'either' && (gainsBrowser || gainsExit);
}

export interface Climb {
  /** All rungs, and those this page may use. */
  readonly ladder: readonly Rung[];
  readonly rungs: readonly Rung[];
  /** Maximum price of this page, credits. */
  readonly budget: number;
}

/** Returns the next rung for a page that `last` could not read, or the limit that stopped it. */
export function nextRung(
  { ladder, rungs, budget }: Climb,
  last: Rung,
  need: Need,
): { rung: Rung } | { halt: Halt | undefined } {
  const above = (rung: Rung) => ladder.indexOf(rung) > ladder.indexOf(last) && meets(need, rung, last);
  const rung = rungs.find(above);
  if (rung !== undefined) return rung.credits <= budget ? { rung } : { halt: 'BUDGET_EXHAUSTED' };
  // Only a missing browser is certain to be the cause.
  const ruledOut = need === 'browser' && ladder.some(above);
  return { halt: ruledOut ? 'TIER_LIMIT' : undefined };
}

/** Returns the first rung to try: the fingerprint's if the page may use it, otherwise the cheapest. */
export function firstRung({ rungs, budget }: Climb, remembered: string | undefined): Rung | undefined {
  const known = rungs.find((rung) => nameOf(rung) === remembered);
  return known !== undefined && known.credits <= budget ? known : rungs[0];
}

/** All tiers of a deployment with their prices. */
export type Ladder = readonly Rung[];

/** The cheapest way in which a page with these options is read by a browser. */
export interface BrowserWay {
  readonly exit: boolean;
  readonly credits: number;
}

/** Returns how a page is read if it needs a browser: directly, or through an exit where the options require one. @throws AppError internal */
export function browserWay(ladder: Ladder, options: CaptureOptions, hasExits: boolean): BrowserWay {
  const [rung] = rungsFor(ladder, { ...options, renderJs: 'always', maxTier: 'browser' }, hasExits);
  if (rung === undefined) throw new AppError('internal', 'the ladder has no browser');
  return rung;
}
