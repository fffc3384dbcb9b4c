import { divideHalfUp, smaller } from './half-up.ts';

/** The paid part of a subscription at the moment of a change. Times are milliseconds. */
export interface PaidPeriod {
  readonly startMs: number;
  readonly endMs: number;
  /** Net price of the whole period, minor units. */
  readonly priceMinor: bigint;
  /** Net amount that was paid for this period; a credit never exceeds it. */
  readonly paidMinor: bigint;
  /** Credits of a month. */
  readonly allowance: number;
}

export interface NewPrice {
  readonly priceMinor: bigint;
  readonly allowance: number;
  /** True if the length of the period changes: a full period is charged, and it begins now. */
  readonly restartsPeriod: boolean;
}

export interface Proration {
  /** For the unused part of the old price. */
  readonly creditMinor: bigint;
  /** For the same time at the new price, or for a full period. */
  readonly chargeMinor: bigint;
  /** Charge less credit; never negative. */
  readonly dueMinor: bigint;
  /** Credits added to the allowance of the current month; 0 if a new period begins. */
  readonly allowanceAdded: number;
}

/** Computes what an upgrade costs at `nowMs`, net of tax, by the second. */
export function prorate(old: PaidPeriod, next: NewPrice, nowMs: number): Proration {
  const { left, total } = remaining(old.startMs, old.endMs, nowMs);
  const creditMinor = smaller(divideHalfUp(old.priceMinor * left, total), old.paidMinor);
  const chargeMinor = next.restartsPeriod ? next.priceMinor : divideHalfUp(next.priceMinor * left, total);
  const due = chargeMinor - creditMinor;
  return {
    creditMinor,
    chargeMinor,
    dueMinor: due > 0n ? due : 0n,
    allowanceAdded: addedAllowance(old, next, { left, total }),
  };
}

const HOUR_SECONDS = 3_600n;
const hoursOf = (seconds: bigint): bigint => (seconds + HOUR_SECONDS - 1n) / HOUR_SECONDS;

/** Counts begun hours, so that a payment adds the credits that its preview showed some minutes before. */
function addedAllowance(old: PaidPeriod, next: NewPrice, { left, total }: { left: bigint; total: bigint }): number {
  const more = next.allowance - old.allowance;
  if (next.restartsPeriod || more <= 0) return 0;
  return Number((BigInt(more) * hoursOf(left)) / hoursOf(total));
}

/** Returns the seconds that are left of a period, and its length. */
function remaining(startMs: number, endMs: number, nowMs: number): { left: bigint; total: bigint } {
  const total = Math.max(1, Math.round((endMs - startMs) / 1_000));
  const left = Math.round((endMs - nowMs) / 1_000);
  return { left: BigInt(Math.min(Math.max(left, 0), total)), total: BigInt(total) };
}
