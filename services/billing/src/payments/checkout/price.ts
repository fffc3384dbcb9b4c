import type { Plan } from '@tidemark/catalogue';
import { AppError } from '@tidemark/errors';
import type { Buyer } from '../../documents/document.ts';
import type { Seller } from '../../documents/seller.ts';
import { type NetLine, type TaxedLines, taxLines } from '../../money/tax.ts';
import type { BillingPeriod } from '../port/gateway.ts';

/** A plan that is sold, in one currency. */
export interface SoldPlan {
  readonly id: string;
  readonly name: string;
  readonly allowance: number;
  readonly month: number;
  readonly year: number;
}

/** Finds a plan with its prices. @throws AppError validation with the plans and currencies that exist */
export function soldPlan(plans: Readonly<Record<string, Plan>>, id: string, currency: string): SoldPlan {
  const plan = plans[id];
  const sold = Object.keys(plans).filter((name) => Object.keys(plans[name]?.prices ?? {}).length > 0);
  if (plan === undefined || !sold.includes(id))
    throw new AppError('validation', `plan "${id}" is not sold; expected one of: ${sold.join(', ')}`);
  const price = plan.prices[currency];
  if (price === undefined)
    throw new AppError(
      'validation',
      `plan "${id}" has no price in ${currency}; expected one of: ${Object.keys(plan.prices).join(', ')}`,
    );
  return { id, name: plan.name ?? id, allowance: plan.allowance ?? 0, ...price };
}

const WORDS = { month: 'one month', year: 'one year' } as const;

export const periodLine = (plan: SoldPlan, period: BillingPeriod): NetLine => ({
  text: `${plan.name}, ${WORDS[period]}`,
  quantity: 1,
  netMinor: BigInt(plan[period]),
});

/** Adds the tax that a buyer pays to a seller. */
export function withTax(lines: readonly NetLine[], seller: Seller, { country, state, taxId }: Buyer): TaxedLines {
  const place = {
    country: country === '' ? seller.country : country,
    state: country === '' ? seller.state : state,
    taxId,
  };
  return taxLines(lines, { rule: seller.tax, seller, buyer: place });
}
