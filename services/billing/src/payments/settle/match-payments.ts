import { AppError } from '@tidemark/errors';
import type { Logger } from '@tidemark/service';
import type { FetchedPayment, PaymentGateway } from '../port/gateway.ts';
import type { OrderStore } from '../store/order-store.ts';
import type { SubscriptionStore } from '../store/subscription-store.ts';
import type { OpenPayment, UnmatchedStore } from '../store/unmatched-store.ts';
import type { SettleOrder } from './settle-order.ts';
import type { SettleSubscription } from './settle-subscription.ts';

const BATCH = 50;

/**
 * Compares unmatched payments again: one whose order or subscription is stored by now is settled with it, one that the
 * gateway has refunded is ended, and one that stays open is reported to the operator once. Several instances may run it at the same time.
 */
export type MatchPayments = (isOpen: () => boolean) => Promise<void>;

export function makeMatchPayments({
  gateway,
  unmatched,
  settleKnown,
  log,
}: {
  readonly gateway: PaymentGateway;
  readonly unmatched: UnmatchedStore;
  readonly settleKnown: SettleKnown;
  readonly log: Logger;
}): MatchPayments {
  return async (isOpen) => {
    for (const row of await unmatched.claim(BATCH)) {
      if (!isOpen()) return;
      await match(row).catch((error: unknown) => {
        log.warn({ err: error, payment: row.id }, 'comparison of an unmatched payment failed, will retry');
      });
    }
  };

  async function match(row: OpenPayment): Promise<void> {
    const { id: payment, orderId, subscriptionId, amountMinor, currency, reason } = row;
    await settleKnown(row);
    if (!(await unmatched.isOpen(payment))) return;
    const fetched = await fetchKnown(gateway, payment);
    if (fetched !== undefined && fetched.refundedMinor >= fetched.amountMinor)
      return unmatched.resolve(payment, 'refunded');
    if (await unmatched.report(payment))
      log.error(
        { payment, order: orderId, subscription: subscriptionId, amountMinor, currency, reason },
        'captured payment matches nothing that is due, an operator has to refund it at the gateway',
      );
  }
}

/** Settles the order and the subscription that a payment or a message names. @returns false if neither is known */
export type SettleKnown = (named: Pick<OpenPayment, 'orderId' | 'subscriptionId'>) => Promise<boolean>;

export function makeSettleKnown({
  orders,
  subscriptions,
  settleOrder,
  settleSubscription,
}: {
  readonly orders: OrderStore;
  readonly subscriptions: SubscriptionStore;
  readonly settleOrder: SettleOrder;
  readonly settleSubscription: SettleSubscription;
}): SettleKnown {
  return async ({ orderId, subscriptionId }) => {
    const order = orderId === '' ? undefined : await orders.byGatewayId(orderId);
    if (order !== undefined) await settleOrder(order);
    const subscription = subscriptionId === '' ? undefined : await subscriptions.byGatewayId(subscriptionId);
    if (subscription !== undefined) await settleSubscription(subscription);
    return order !== undefined || subscription !== undefined;
  };
}

/** Fetches a payment; undefined if the gateway has none of this id. */
export async function fetchKnown(gateway: PaymentGateway, id: string): Promise<FetchedPayment | undefined> {
  try {
    return await gateway.fetchPayment(id);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}
