import type { Billing } from '@tidemark/sdk';

type Credits = Billing['credits'];

/** Overage of a period: so far, and at its end if use continues as it was. */
export interface Overage {
  readonly used: number;
  readonly expected: number;
}

/** An estimate from less time would be noise. */
const MIN_ELAPSED_MS = 3_600_000;
const PER = 1_000;

/** Estimates the overage at the end of the period from the use so far. The cap limits it. */
export function estimateOverage(credits: Credits, nowMs: number): Overage {
  const { allowance, allowanceLeft, welcomeLeft, purchasedLeft, overageUsed: used, overageRoom } = credits;
  const { periodStart, resetsAt } = credits;
  const elapsedMs = periodStart === null ? 0 : nowMs - Date.parse(periodStart);
  if (resetsAt === null || allowance === null || elapsedMs < MIN_ELAPSED_MS) return { used, expected: used };
  const spent = allowance - allowanceLeft + used;
  const ahead = (spent * Math.max(0, Date.parse(resetsAt) - nowMs)) / elapsedMs;
  const beyond = Math.max(0, Math.round(ahead - allowanceLeft - welcomeLeft - Math.max(0, purchasedLeft)));
  return { used, expected: Math.max(used, Math.min(used + beyond, overageRoom ?? Number.POSITIVE_INFINITY)) };
}

/** Returns the price of credits of overage in minor units, without tax; undefined where the currency has none. */
export function overagePrice(plan: Billing['plan'], credits: number, currency: string): number | undefined {
  const per = plan.overagePer1000[currency];
  return per === undefined ? undefined : Math.round((credits * per) / PER);
}

const BUCKETS = ['allowance', 'welcome', 'purchased'] as const;

/** Returns the credits that are left by bucket; undefined for a plan without a limit, which spends from none. */
export function bucketsOf(credits: Pick<Credits, 'remaining' | 'allowanceLeft' | 'welcomeLeft' | 'purchasedLeft'>) {
  if (credits.remaining === null) return undefined;
  return BUCKETS.map((key) => ({ key, value: credits[`${key}Left`] }));
}

const STEPS = [1, 0.8, 0.5] as const;

/** Returns the highest step of alerts that the use of the allowance has reached. */
export function reachedStep({ allowance, allowanceLeft }: Pick<Credits, 'allowance' | 'allowanceLeft'>) {
  if (allowance === null || allowance === 0) return undefined;
  const used = (allowance - allowanceLeft) / allowance;
  return STEPS.find((step) => used >= step);
}
