import type { Logger } from '@tidemark/service';
import type { OrderRow, OrderStore } from '../store/order-store.ts';
import type { SubscriptionRow } from '../store/subscription-row.ts';
import type { SubscriptionStore } from '../store/subscription-store.ts';

const BATCH = 50;

/**
 * Makes a function that compares unfinished orders and due subscriptions with the gateway, so that a lost message loses no money. Several
 * instances may run it at the same time: every change is made once.
 */
export function makeReconcile(deps: {
  readonly orders: OrderStore;
  readonly subscriptions: SubscriptionStore;
  readonly settleOrder: (order: OrderRow) => Promise<boolean>;
  readonly settleSubscription: (row: SubscriptionRow) => Promise<boolean>;
  readonly log: Logger;
}) {
  const { orders, subscriptions, settleOrder, settleSubscription, log } = deps;
  return async (isOpen: () => boolean): Promise<void> => {
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
