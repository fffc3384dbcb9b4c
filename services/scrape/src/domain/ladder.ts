import { type CaptureOptions, needsBrowser } from './capture-options.ts';

export type Tier = 'http' | 'browser';

/** One engine of the ladder and what a page read by it costs. */
export interface Rung {
  readonly tier: Tier;
  readonly credits: number;
}

/** Why a page can't climb further than it has. */
export type Halt = 'TIER_LIMIT' | 'BUDGET_EXHAUSTED';

/** The engines a page may be tried on, cheapest first, by its options alone. */
export function rungsFor(ladder: readonly Rung[], options: CaptureOptions): readonly Rung[] {
  const highest = options.renderJs === 'never' ? 'http' : options.maxTier;
  const reachable = ladder.slice(0, ladder.findIndex((rung) => rung.tier === highest) + 1);
  return needsBrowser(options) ? reachable.filter((rung) => rung.tier === 'browser') : reachable;
}

/** Credits to set aside before a page is fetched: enough for the dearest engine it may reach, at least the cheapest. */
export function creditsToLease(
  rungs: readonly Rung[],
  maxCredits: number | undefined,
): { want: number; least: number } {
  const cap = maxCredits ?? Number.POSITIVE_INFINITY;
  const affordable = rungs.map((rung) => rung.credits).filter((credits) => credits <= cap);
  return { want: Math.max(0, ...affordable), least: Math.min(...rungs.map((rung) => rung.credits)) };
}

/** The next engine after `tried` of them, or why there is none. */
export function nextRung(
  ladder: readonly Rung[],
  rungs: readonly Rung[],
  tried: number,
  budget: number,
): { rung: Rung } | { halt: Halt | undefined } {
  const rung = rungs[tried];
  if (rung === undefined) {
    const climbed = rungs.at(-1);
    const above = climbed !== undefined && ladder.indexOf(climbed) < ladder.length - 1;
    return { halt: above ? 'TIER_LIMIT' : undefined };
  }
  return rung.credits <= budget ? { rung } : { halt: 'BUDGET_EXHAUSTED' };
}
