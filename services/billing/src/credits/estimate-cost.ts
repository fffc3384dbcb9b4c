import type { CreditAccount } from '@tidemark/contracts/billing/v1/billing';
import { divideHalfUp } from '../money/half-up.ts';

/** Where the credits of planned work would come from. */
export interface CreditSplit {
  readonly allowance: number;
  readonly welcome: number;
  readonly purchased: number;
  readonly overage: number;
  /** Credits that the account can not pay: work stops before. */
  readonly uncovered: number;
}

type Buckets = Pick<
  CreditAccount,
  'allowance' | 'allowanceLeft' | 'welcomeLeft' | 'purchasedLeft' | 'overageUsed' | 'overageRoom' | 'reserved'
>;

/** Splits the credits of planned work over the buckets in the order of spending, after the credits that are reserved for work in progress. */
export function splitCredits(account: Buckets, credits: number): CreditSplit {
  const { allowance, allowanceLeft, welcomeLeft, purchasedLeft, overageUsed, overageRoom, reserved } = account;
  if (allowance === undefined) return { allowance: 0, welcome: 0, purchased: 0, overage: 0, uncovered: 0 };
  const room = overageRoom === undefined ? Number.POSITIVE_INFINITY : Math.max(0, overageRoom - overageUsed);
  // Negative purchased credits are paid back first: they lessen what the overage may still take.
  const debt = Math.max(0, -purchasedLeft);
  const left = [allowanceLeft, welcomeLeft, Math.max(0, purchasedLeft), Math.max(0, room - debt)];
  const [, unreserved] = takeInOrder(left, reserved);
  const [taken, , uncovered] = takeInOrder(unreserved, credits);
  const [ofAllowance = 0, welcome = 0, purchased = 0, overage = 0] = taken;
  return { allowance: ofAllowance, welcome, purchased, overage, uncovered };
}

function takeInOrder(buckets: readonly number[], credits: number): [taken: number[], left: number[], rest: number] {
  let rest = credits;
  const taken = buckets.map((bucket) => {
    const part = Math.min(bucket, rest);
    rest -= part;
    return part;
  });
  return [taken, buckets.map((bucket, i) => bucket - (taken[i] ?? 0)), rest];
}

/** Returns the price of overage in minor units: `per1000` for 1,000 credits, rounded half up. */
export const overageMinor = (credits: number, per1000: number): number =>
  Number(divideHalfUp(BigInt(credits) * BigInt(per1000), 1_000n));
