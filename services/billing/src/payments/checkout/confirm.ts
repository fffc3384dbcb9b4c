import { AppError } from '@tidemark/errors';
import type { PaymentGateway } from '../port/gateway.ts';
import { isRejected } from '../settle/return-payments.ts';
import type { SettleOrder } from '../settle/settle-order.ts';
import type { SettleSubscription } from '../settle/settle-subscription.ts';
import type { OrderRow, OrderStore } from '../store/order-store.ts';
import type { SubscriptionRow } from '../store/subscription-row.ts';
import type { SubscriptionStore } from '../store/subscription-store.ts';

export interface ConfirmRequest {
  readonly workspaceId: string;
  /** Our id of the order or subscription. */
  readonly id: string;
  readonly paymentId: string;
  readonly signature: string;
}

/** A checkout of a single payment, or the first of a subscription. */
type Checkout =
  | { readonly kind: 'order'; readonly row: OrderRow }
  | { readonly kind: 'subscription'; readonly row: SubscriptionRow };

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
    const checkout = await findCheckout(workspaceId, id);
    const gatewayId = checkout?.row.gatewayId ?? null;
    if (checkout === undefined || gatewayId === null) throw new AppError('not_found', 'checkout not found');
    if (!gateway.verifyCheckout({ kind: checkout.kind, gatewayId, paymentId, signature }))
      throw new AppError(
        'validation',
        'signature: not the signature of this checkout; send the values that checkout returned',
        { httpStatus: 400 },
      );
    return checkout.kind === 'order' ? settleOrder(checkout.row) : confirmSubscription(checkout.row);
  };

  async function findCheckout(workspaceId: string, id: string): Promise<Checkout | undefined> {
    const order = await orders.find(workspaceId, id);
    if (order !== undefined) return { kind: 'order', row: order };
    const subscription = await subscriptions.find(workspaceId, id);
    return subscription && { kind: 'subscription', row: subscription };
  }

  async function confirmSubscription(row: SubscriptionRow): Promise<boolean> {
    if (await settleSubscription(row)) return true;
    const now = await subscriptions.byId(row.id);
    if (now !== undefined && isRejected(now))
      throw new AppError('conflict', 'the workspace has a subscription already; this payment is refunded');
    return false;
  }
}
