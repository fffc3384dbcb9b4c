import type { Logger } from '@tidemark/service';
import type { OrderStore } from '../store/order-store.ts';
import type { SubscriptionStore } from '../store/subscription-store.ts';
import type { SettleOrder } from './settle-order.ts';
import type { SettleSubscription } from './settle-subscription.ts';

const BATCH = 50;

/**
 * Compares unfinished orders and due subscriptions with the gateway, so that a lost message loses no money. Several
 * instances may run it at the same time: every change is made once.
 */
export type Reconcile = (isOpen: () => boolean) => Promise<void>;

export function makeReconcile({
  orders,
  subscriptions,
  settleOrder,
  settleSubscription,
  log,
}: {
  readonly orders: OrderStore;
  readonly subscriptions: SubscriptionStore;
  readonly settleOrder: SettleOrder;
  readonly settleSubscription: SettleSubscription;
  readonly log: Logger;
}): Reconcile {
  return async (isOpen) => {
    await orders.expire();
    for (const order of await orders.due(BATCH)) {
      if (!isOpen()) return;
      await settleOrder(order).catch((error: unknown) => {
        log.warn({ err: error, order: order.id }, 'comparison of an order with the payment gateway failed, will retry');
      });
    }
    for (const row of await subscriptions.due(BATCH)) {
      if (!isOpen()) return;
      await settleSubscription(row).catch((error: unknown) => {
        log.warn(
          { err: error, subscription: row.id },
          'comparison of a subscription with the payment gateway failed, will retry',
        );
      });
    }
  };
}
