import type { Billing } from '@tidemark/sdk';

/** Credits that are paid for, and those beyond them, which are billed. */
export interface CreditsLeft {
  /** null: the plan has no limit. */
  readonly own: number | null;
  /** 0: work stops when the own credits are used; null: no limit. */
  readonly billable: number | null;
}

/** Separates the credits of a workspace from the overage that `remaining` includes. */
export function creditsLeft({
  remaining,
  allowanceLeft,
  welcomeLeft,
  purchasedLeft,
  overageUsed,
  overageRoom,
}: Billing['credits']): CreditsLeft {
  if (remaining === null) return { own: null, billable: 0 };
  const own = Math.min(remaining, Math.max(0, allowanceLeft + welcomeLeft + purchasedLeft));
  return {
    own,
    billable: overageRoom === null ? null : Math.max(0, Math.min(overageRoom - overageUsed, remaining - own)),
  };
}
