import { AppError } from '@tidemark/errors';
import { inTransaction, type Logger } from '@tidemark/service';
import type pg from 'pg';
import { toTaxedLines } from '../../documents/document.ts';
import { issueInvoice } from '../../documents/issue-document.ts';
import type { FetchedPayment, PaymentGateway } from '../port/gateway.ts';
import type { DetailsStore } from '../store/details-store.ts';
import type { OrderRow } from '../store/order-store.ts';
import type { UnmatchedStore } from '../store/unmatched-store.ts';
import { applyRefund, NO_DETAILS, type RefundDeps } from './apply-refund.ts';

export interface SettleOrderDeps extends RefundDeps {
  readonly pool: pg.Pool;
  readonly gateway: PaymentGateway;
  readonly details: DetailsStore;
  readonly unmatched: UnmatchedStore;
  readonly log: Logger;
}

/** A payment whose money was taken, also if it was given back later. */
export const isTaken = ({ state }: FetchedPayment): boolean => state === 'captured' || state === 'refunded';

/**
 * Makes a function that compares an order with the gateway: a captured payment adds the credits once, and a second one is refunded. It returns
 * whether the order is paid.
 */
export function makeSettleOrder(deps: SettleOrderDeps) {
  const { pool, gateway, orders, unmatched, log } = deps;
  return async (order: OrderRow): Promise<boolean> => {
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
      const buyer = (await deps.details.find(order.workspaceId)) ?? NO_DETAILS;
      const isSurplus = await inTransaction(pool, async (db) => {
        const ids = {
          id: order.id,
          paymentId: payment.id,
          amountMinor: payment.amountMinor,
          currency: payment.currency,
        };
        if (await orders.markPaid(db, ids)) await accept(db, { order, payment, buyer }, deps);
        if (await applyRefund(db, payment, deps)) return false;
        const reason = 'order_paid_twice';
        await unmatched.insert({ payment, orderId: order.gatewayId ?? '', subscriptionId: '', reason }, db);
        return true;
      });
      if (isSurplus) await returnSurplus(payment, deps);
    }
    const now = await orders.find(order.workspaceId, order.id);
    if (now === undefined) throw new AppError('not_found', 'order not found');
    return now.state === 'paid';
  };
}

/** Refunds a payment of an order that another payment has paid. Safe to repeat: the gateway makes the refund once. */
async function returnSurplus(
  { id: paymentId, state, amountMinor, refundedMinor }: FetchedPayment,
  { gateway, unmatched }: SettleOrderDeps,
): Promise<void> {
  if (state === 'captured' && refundedMinor === 0)
    await gateway.refund({ paymentId, ref: `surplus_${paymentId}`, amountMinor });
  else if (refundedMinor < amountMinor) return;
  await unmatched.resolve(paymentId, 'refunded');
}

interface Accepted {
  readonly order: OrderRow;
  readonly payment: FetchedPayment;
  readonly buyer: Parameters<typeof issueInvoice>[2]['buyer'];
}

/** Adds the credits, the invoice and the payment, in the transaction that marked the order as paid. */
async function accept(db: pg.PoolClient, { order, payment, buyer }: Accepted, deps: SettleOrderDeps): Promise<void> {
  const { workspaceId, currency } = order;
  await deps.accounts.addCredits(db, { workspaceId, kind: 'purchase', ref: order.id, credits: Number(order.credits) });
  const invoiceId = await issueInvoice(db, deps.seller, {
    workspaceId,
    currency,
    buyer,
    lines: toTaxedLines(order.lines),
    note: order.taxNote,

    paymentId: payment.id,
    issuedAt: deps.now(),
  });
  await deps.payments.insert(db, {
    id: payment.id,
    workspaceId,
    orderId: order.id,
    subscriptionId: null,
    currency,
    invoiceId,

    amountMinor: String(payment.amountMinor),
    method: payment.method,
    paidAt: payment.paidAt,
  });
}
