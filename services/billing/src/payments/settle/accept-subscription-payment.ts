import type { OutgoingEvent } from '@tidemark/service';
import type pg from 'pg';
import { type Buyer, toTaxedLines } from '../../documents/document.ts';
import { issueInvoice } from '../../documents/issue-document.ts';
import type { Seller } from '../../documents/seller.ts';
import type { FetchedPayment } from '../port/gateway.ts';
import type { OverageStore } from '../store/overage-store.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import type { SubscriptionRow } from '../store/subscription-row.ts';
import type { SubscriptionStore } from '../store/subscription-store.ts';
import type { CreditAccounts } from './credit-accounts.ts';
import type { PaidFor } from './paid-for.ts';

interface Accepting {
  readonly row: SubscriptionRow;
  readonly payment: FetchedPayment;
  readonly paid: PaidFor;
  readonly buyer: Buyer;
}

/** Stores a payment with its invoice, and gives the plan that it pays for. @returns the changed row, and the event to send after the commit */
export type AcceptSubscriptionPayment = (
  db: pg.PoolClient,
  accepting: Accepting,
) => Promise<{ readonly row: SubscriptionRow; readonly event: OutgoingEvent | undefined }>;

export function makeAcceptSubscriptionPayment({
  subscriptions,
  overage,
  accounts,
  payments,
  seller,
  now,
}: {
  readonly subscriptions: SubscriptionStore;
  readonly overage: OverageStore;
  readonly accounts: CreditAccounts;
  readonly payments: PaymentStore;
  readonly seller: Seller;
  readonly now: () => Date;
}): AcceptSubscriptionPayment {
  return async (db, { row, payment, paid, buyer }) => {
    const { workspaceId, currency, id: subscriptionId } = row;
    const replaced = paid.kind === 'first' && row.replaces !== null ? await endReplaced(db, row.replaces) : undefined;
    const invoiceId = await issueInvoice(db, seller, {
      workspaceId,
      currency,
      buyer,
      lines: toTaxedLines(paid.lines),
      note: row.taxNote,

      paymentId: payment.id,
      issuedAt: now(),
    });
    await payments.insert(db, {
      id: payment.id,
      workspaceId,
      orderId: null,
      subscriptionId,
      currency,
      invoiceId,

      amountMinor: String(payment.amountMinor),
      method: payment.method,
      paidAt: payment.paidAt,
    });
    await overage.paid(db, paid.overage, payment.id);
    const anchorAt = paid.kind === 'changed' ? paid.start : (row.anchorAt ?? paid.start);
    let event: OutgoingEvent | undefined;
    if (paid.kind !== 'renewal') {
      const added = paid.kind === 'first' && row.allowanceAdded > 0 ? { allowanceAdded: row.allowanceAdded } : {};
      const change = { workspaceId, plan: paid.plan, periodStart: anchorAt, ref: `payment:${payment.id}`, ...added };
      event = await accounts.setPlan(db, change);
    }
    const samePeriod = replaced?.paidUntil?.getTime() === paid.end.getTime();
    const paidNet = samePeriod ? BigInt(replaced?.paidNetMinor ?? 0) + BigInt(row.dueNetMinor) : BigInt(paid.netMinor);
    return {
      row: {
        ...row,

        plan: paid.plan,
        netMinor: String(paid.netMinor),
        grossMinor: String(paid.grossMinor),
        renewalLines: paid.renewalLines,

        anchorAt,
        paidFrom: paid.start,
        paidUntil: paid.end,
        paidNetMinor: paidNet.toString(),
        ...(paid.kind === 'changed' ? { next: null } : {}),
      },
      event,
    };
  };

  /** Ends the subscription that an upgrade replaces. The gateway is called after the commit. */
  async function endReplaced(db: pg.PoolClient, id: string): Promise<SubscriptionRow> {
    const row = await subscriptions.lock(db, id);
    if (row.state === 'past_due') await accounts.setPastDue(db, row.workspaceId, false);
    if (row.state !== 'ended') await subscriptions.save(db, { ...row, state: 'ended', next: null, closing: 'now' });
    await overage.release(db, id);
    return row;
  }
}
