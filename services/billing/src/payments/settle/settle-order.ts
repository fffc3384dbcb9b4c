import { AppError } from '@tidemark/errors';
import { inTransaction, type Logger } from '@tidemark/service';
import type pg from 'pg';
import type { FetchedPayment, PaymentGateway } from '../port/gateway.ts';
import type { DetailsStore } from '../store/details-store.ts';
import type { OrderRow, OrderStore } from '../store/order-store.ts';
import type { UnmatchedStore } from '../store/unmatched-store.ts';
import type { AcceptOrder } from './accept-order.ts';
import { type ApplyRefund, NO_DETAILS } from './apply-refund.ts';

/** A payment whose money was taken, also if it was given back later. */
export const isTaken = ({ state }: FetchedPayment): boolean => state === 'captured' || state === 'refunded';

/**
 * Compares an order with the gateway: a captured payment adds the credits once, and a second one is refunded. It returns
 * whether the order is paid.
 */
export type SettleOrder = (order: OrderRow) => Promise<boolean>;

export function makeSettleOrder({
  pool,
  gateway,
  orders,
  details,
  unmatched,
  acceptOrder,
  applyRefund,
  log,
}: {
  readonly pool: pg.Pool;
  readonly gateway: PaymentGateway;
  readonly orders: OrderStore;
  readonly details: DetailsStore;
  readonly unmatched: UnmatchedStore;
  readonly acceptOrder: AcceptOrder;
  readonly applyRefund: ApplyRefund;
  readonly log: Logger;
}): SettleOrder {
  return async (order) => {
    if (order.gatewayId === null) return false;
    const payments = await gateway.fetchOrder(order.gatewayId);
    for (const payment of payments.filter(isTaken)) {
      if (payment.amountMinor !== Number(order.amountMinor) || payment.currency !== order.currency) {
        log.warn({ order: order.id, payment: payment.id }, 'payment does not fit its order, not accepted');
        await unmatched.insert({
          payment,
          orderId: order.gatewayId,
          subscriptionId: '',
          reason: 'amount_differs',
        });
        continue;
      }
      const buyer = (await details.find(order.workspaceId)) ?? NO_DETAILS;
      const isSurplus = await inTransaction(pool, async (db) => {
        const ids = {
          id: order.id,
          paymentId: payment.id,
          amountMinor: payment.amountMinor,
          currency: payment.currency,
        };
        if (await orders.markPaid(db, ids)) await acceptOrder(db, { order, payment, buyer });
        if (await applyRefund(db, payment)) return false;
        const reason = 'order_paid_twice';
        await unmatched.insert({ payment, orderId: order.gatewayId ?? '', subscriptionId: '', reason }, db);
        return true;
      });
      if (isSurplus) await returnSurplus(payment, { gateway, unmatched });
    }
    const now = await orders.find(order.workspaceId, order.id);
    if (now === undefined) throw new AppError('not_found', 'order not found');
    return now.state === 'paid';
  };
}

/** Refunds a payment of an order that another payment has paid. Safe to repeat: the gateway makes the refund once. */
async function returnSurplus(
  { id: paymentId, state, amountMinor, refundedMinor }: FetchedPayment,
  { gateway, unmatched }: { readonly gateway: PaymentGateway; readonly unmatched: UnmatchedStore },
): Promise<void> {
  if (state === 'captured' && refundedMinor === 0)
    await gateway.refund({ paymentId, ref: `surplus_${paymentId}`, amountMinor });
  else if (refundedMinor < amountMinor) return;
  await unmatched.resolve(paymentId, 'refunded');
}
