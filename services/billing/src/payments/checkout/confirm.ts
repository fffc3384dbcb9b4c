import { AppError } from '@tidemark/errors';
import type { PaymentGateway } from '../port/gateway.ts';
import { isRejected } from '../settle/return-payments.ts';
import type { SettleOrder } from '../settle/settle-order.ts';
import type { SettleSubscription } from '../settle/settle-subscription.ts';
import type { OrderStore } from '../store/order-store.ts';
import type { SubscriptionStore } from '../store/subscription-store.ts';

export interface ConfirmRequest {
  readonly workspaceId: string;
  /** Our id of the order or subscription. */
  readonly id: string;
  readonly paymentId: string;
  readonly signature: string;
}

/**
 * Confirms a checkout. The signature is checked over the gateway's id of our row; the payment is then fetched and compared, as
 * for a message of the gateway, so that both lead to one result. It returns whether the payment is complete.
 */
export type Confirm = (request: ConfirmRequest) => Promise<boolean>;

export function makeConfirm({
  gateway,
  orders,
  subscriptions,
  settleOrder,
  settleSubscription,
}: {
  readonly gateway: PaymentGateway;
  readonly orders: OrderStore;
  readonly subscriptions: SubscriptionStore;
  readonly settleOrder: SettleOrder;
  readonly settleSubscription: SettleSubscription;
}): Confirm {
  return async ({ workspaceId, id, paymentId, signature }) => {
    const order = await orders.find(workspaceId, id);
    const subscription = order === undefined ? await subscriptions.find(workspaceId, id) : undefined;
    const gatewayId = order?.gatewayId ?? subscription?.gatewayId ?? null;
    if (gatewayId === null) throw new AppError('not_found', 'checkout not found');
    const kind = order === undefined ? 'subscription' : 'order';
    if (!gateway.verifyCheckout({ kind, gatewayId, paymentId, signature }))
      throw new AppError(
        'validation',
        'signature: not the signature of this checkout; send the values that checkout returned',
        { httpStatus: 400 },
      );
    if (order !== undefined) return settleOrder(order);
    if (subscription === undefined || (await settleSubscription(subscription))) return subscription !== undefined;
    const now = await subscriptions.byId(subscription.id);
    if (now !== undefined && isRejected(now))
      throw new AppError('conflict', 'the workspace has a subscription already; this payment is refunded');
    return false;
  };
}
