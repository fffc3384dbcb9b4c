import type { Plan } from '@tidemark/catalogue';
import { newId } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { type Buyer, toStoredLines } from '../../documents/document.ts';
import type { Seller } from '../../documents/seller.ts';
import { audited, type RequestedBy } from '../audited.ts';
import type { BillingPeriod, Customer, PaymentGateway } from '../port/gateway.ts';
import type { RequirePayer } from '../require-payer.ts';
import type { SubscriptionRow } from '../store/subscription-row.ts';
import type { NewSubscription, SubscriptionStore } from '../store/subscription-store.ts';
import { type BuyerOf, customerOf } from './buyer.ts';
import { type Checkout, subscriptionCheckout } from './checkout.ts';
import { periodLine, type SoldPlan, soldPlan, withTax } from './price.ts';

export interface SubscribeRequest {
  readonly by: RequestedBy;
  readonly plan: string;
  readonly period: BillingPeriod;
  readonly currency: string;
  readonly details: Buyer | undefined;
}

/** Starts a subscription, which checkout completes. @throws AppError conflict if the workspace has a live one */
export type Subscribe = (request: SubscribeRequest) => Promise<Checkout>;

export function makeSubscribe({
  gateway,
  subscriptions,
  plans,
  seller,
  buyerOf,
  requirePayer,
}: {
  readonly gateway: PaymentGateway;
  readonly subscriptions: SubscriptionStore;
  readonly plans: Readonly<Record<string, Plan>>;
  readonly seller: Seller;
  readonly buyerOf: BuyerOf;
  readonly requirePayer: RequirePayer;
}): Subscribe {
  return async ({ by, plan: planId, period, currency, details }) => {
    const { workspaceId } = by;
    const plan = soldPlan(plans, planId, currency);
    await requirePayer(workspaceId);
    if ((await subscriptions.live(workspaceId)) !== undefined)
      throw new AppError('conflict', 'the workspace has a subscription; POST /v1/me/billing/change changes its plan');
    const buyer = await buyerOf(by, details);
    const taxed = withTax([periodLine(plan, period)], seller, buyer);
    const lines = toStoredLines(taxed.lines);
    const amounts = { netMinor: String(taxed.netMinor), grossMinor: String(taxed.totalMinor) };
    const row = await insertSubscription(subscriptions, by, {
      workspaceId,
      plan: planId,
      period,
      currency,
      ...amounts,
      dueMinor: amounts.grossMinor,
      dueNetMinor: amounts.netMinor,

      dueLines: lines,
      renewalLines: lines,
      taxNote: taxed.note,
      replaces: null,
      allowanceAdded: 0,

      anchorAt: null,
      firstFrom: null,
      firstUntil: null,
    });
    return startAtGateway({ gateway, subscriptions }, { row, plan, customer: customerOf(workspaceId, buyer) });
  };
}

/** Stores a subscription that is not paid yet; an unfinished one with the same price is used again. */
export async function insertSubscription(
  subscriptions: SubscriptionStore,
  by: RequestedBy,
  values: Omit<NewSubscription, 'id'>,
): Promise<SubscriptionRow> {
  const earlier = await subscriptions.unfinished(values);
  if (earlier !== undefined) return earlier;
  const id = newId('sub');
  const { plan, period, replaces } = values;
  const detail = replaces === null ? { plan, period } : { plan, period, replaces };
  await subscriptions.insert({ id, ...values }, audited(by, 'subscription.ordered', id, detail));
  const row = await subscriptions.byId(id);
  if (row === undefined) throw new AppError('internal', 'the subscription was not stored');
  return row;
}

interface Starting {
  readonly row: SubscriptionRow;
  readonly plan: SoldPlan;
  readonly customer: Customer;
}

/** Creates the subscription at the gateway, once: its id is stored, and found again if the response was lost. */
export async function startAtGateway(
  { gateway, subscriptions }: { readonly gateway: PaymentGateway; readonly subscriptions: SubscriptionStore },
  { row, plan, customer }: Starting,
): Promise<Checkout> {
  const { id, period, currency, firstUntil } = row;
  if (row.gatewayId !== null) return subscriptionCheckout(gateway, row, row.gatewayId);
  const gatewayId = await gateway.start({
    ref: id,
    customer,
    plan: { plan: plan.id, name: plan.name, period, currency, grossMinor: Number(row.grossMinor) },
    upfront:
      firstUntil === null
        ? undefined
        : { grossMinor: Number(row.dueMinor), text: `Change to ${plan.name}`, at: firstUntil },
  });
  await subscriptions.setGatewayId(id, gatewayId);
  return subscriptionCheckout(gateway, row, gatewayId);
}
