import type { Billing } from '@tidemark/api';
import type { Catalogue } from '@tidemark/catalogue';
import { textOrEmpty } from '@tidemark/contracts';
import { type CreditAccount, BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import {
  type BillingDetails,
  PaymentServiceService as Payments,
  type Subscription,
} from '@tidemark/contracts/billing/v1/payments';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { toLimits, toMonth } from '../../responses/month-spend.ts';
import { shownPlan, shownPlans } from '../../responses/plans.ts';

/** Reads the plan, credits, spend and subscription of a workspace. */
export type BillingView = (call: CallContext, requestId: string) => Promise<Billing>;

export function makeBillingView({
  billing,
  catalogue,
}: {
  readonly billing: Peer;
  readonly catalogue: Catalogue;
}): BillingView {
  return async (call, requestId) => {
    // Opens the account of a workspace that has none.
    const { account, limits } = await billing.call(Rpc.getAccount, {}, call);
    if (account === undefined) throw new AppError('internal', 'billing returned no account');
    const [{ visibleBalance, reserved }, statement, { subscription, details, gateway }] = await Promise.all([
      billing.call(Rpc.balance, {}, call),
      billing.call(Rpc.statement, {}, call),
      billing.call(Payments.getSubscription, {}, call),
    ]);
    const { period, byKind, charges } = toMonth(statement, call.caller?.workspaceId ?? '');
    const plan = catalogue.plans[account.plan];
    if (plan === undefined) throw new AppError('internal', `the plan "${account.plan}" is not in the catalogue`);
    return {
      plan: shownPlan(account.plan, plan),
      paidBy: account.payerId ?? null,
      credits: { remaining: visibleBalance ?? null, reserved, ...toBuckets(account) },
      cap: account.overageCap ?? 0,
      limits: toLimits(limits),
      spend: { ...period, credits: statement.month, byKind },
      charges,
      gateway: account.payerId === undefined ? (gateway ?? null) : null,
      plans: shownPlans(catalogue),
      packs: catalogue.packs,
      subscription: subscription === undefined ? null : toSubscription(subscription),
      billingDetails: details === undefined ? null : toDetails(details),
      creditsUsed: 0,
      request_id: requestId,
    };
  };
}

function toBuckets(account: CreditAccount) {
  const { allowance, allowanceLeft, welcomeLeft, purchasedLeft, overageUsed, overageRoom, periodStart, periodEnd } =
    account;
  return {
    allowance: allowance ?? null,
    allowanceLeft,
    welcomeLeft,
    purchasedLeft,
    overageUsed,
    overageRoom: overageRoom ?? null,
    periodStart: periodStart?.toISOString() ?? null,
    resetsAt: periodEnd?.toISOString() ?? null,
  };
}

const timeOf = (date: Date | undefined): string => (date ?? new Date(0)).toISOString();
const periodOf = (period: string): 'month' | 'year' => (period === 'year' ? 'year' : 'month');

function toSubscription(row: Subscription): Billing['subscription'] {
  const { id, plan, currency, netMinor, currentStart, currentEnd, cancelAtEnd, next, card, pastDueSince } = row;
  return {
    id,
    plan,
    currency,
    netMinor,
    cancelAtEnd,
    card: textOrEmpty(card),
    period: periodOf(row.period),
    state: row.state === 'past_due' ? 'past_due' : 'active',
    currentStart: timeOf(currentStart),
    currentEnd: timeOf(currentEnd),
    next: next === undefined ? null : { plan: next.plan, period: periodOf(next.period), at: timeOf(next.at) },
    pastDueSince: pastDueSince?.toISOString() ?? null,
  };
}

const toDetails = ({
  legalName,
  address,
  country,
  state,
  taxId,
  email,
}: BillingDetails): Billing['billingDetails'] => ({
  legal_name: legalName,
  address,
  country,
  state,
  tax_id: taxId,
  email,
});
