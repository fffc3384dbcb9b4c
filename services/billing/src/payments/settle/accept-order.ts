import { writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { toTaxedLines } from '../../documents/document.ts';
import type { Seller } from '../../documents/seller.ts';
import { issueInvoice } from '../../store/issue-document.ts';
import { audited } from '../audited.ts';
import type { FetchedPayment } from '../port/gateway.ts';
import type { OrderRow } from '../store/order-store.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import type { CreditAccounts } from './credit-accounts.ts';

interface PaidOrder {
  readonly order: OrderRow;
  readonly payment: FetchedPayment;
  readonly buyer: Parameters<typeof issueInvoice>[2]['buyer'];
}

/** Adds the credits, the invoice and the payment, in the transaction that marked the order as paid. */
export type AcceptOrder = (db: pg.PoolClient, paid: PaidOrder) => Promise<void>;

export function makeAcceptOrder({
  accounts,
  payments,
  seller,
  now,
}: {
  readonly accounts: CreditAccounts;
  readonly payments: PaymentStore;
  readonly seller: Seller;
  readonly now: () => Date;
}): AcceptOrder {
  return async (db, { order, payment, buyer }) => {
    const { workspaceId, currency } = order;
    await accounts.addCredits(db, { workspaceId, kind: 'purchase', ref: order.id, credits: Number(order.credits) });
    const by = { workspaceId, actorId: 'billing' };
    await writeEvents(db, [audited(by, 'credits.bought', order.id, { credits: order.credits, payment: payment.id })]);
    const invoiceId = await issueInvoice(db, seller, {
      workspaceId,
      currency,
      buyer,
      lines: toTaxedLines(order.lines),
      note: order.taxNote,

      paymentId: payment.id,
      issuedAt: now(),
    });
    await payments.insert(db, {
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
  };
}
