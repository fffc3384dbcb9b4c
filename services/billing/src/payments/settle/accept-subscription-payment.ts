import type { OutgoingEvent } from '@tidemark/service';
import type pg from 'pg';
import { type Buyer, toTaxedLines } from '../../documents/document.ts';
import type { Seller } from '../../documents/seller.ts';
import { issueInvoice } from '../../store/issue-document.ts';
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
    const event = paid.kind === 'renewal' ? undefined : await setPaidPlan(db, { row, payment, paid, anchorAt });
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
        paidNetMinor: paidNetOf(row, paid, replaced).toString(),
        ...(paid.kind === 'changed' ? { next: null } : {}),
      },
      event,
    };
  };

  /** Gives the plan of a first payment or of a change. @returns the event to send after the commit */
  function setPaidPlan(
    db: pg.PoolClient,
    { row, payment, paid, anchorAt }: Omit<Accepting, 'buyer'> & { readonly anchorAt: Date },
  ): Promise<OutgoingEvent | undefined> {
    const { workspaceId, allowanceAdded } = row;
    return accounts.setPlan(db, {
      workspaceId,
      plan: paid.plan,
      periodStart: anchorAt,
      ref: `payment:${payment.id}`,
      ...(paid.kind === 'first' && allowanceAdded > 0 ? { allowanceAdded } : {}),
    });
  }

  /** Ends the subscription that an upgrade replaces. The gateway is called after the commit. */
  async function endReplaced(db: pg.PoolClient, id: string): Promise<SubscriptionRow> {
    const row = await subscriptions.lock(db, id);
    if (row.state === 'past_due') await accounts.setPastDue(db, row.workspaceId, false);
    if (row.state !== 'ended') await subscriptions.save(db, { ...row, state: 'ended', next: null, closing: 'now' });
    await overage.release(db, id);
    return row;
  }
}

/** Returns the net amount that is paid for the period, with the amount of a replaced subscription of the same period. */
function paidNetOf(row: SubscriptionRow, paid: PaidFor, replaced: SubscriptionRow | undefined): bigint {
  if (replaced?.paidUntil?.getTime() !== paid.end.getTime()) return BigInt(paid.netMinor);
  return BigInt(replaced.paidNetMinor ?? 0) + BigInt(row.dueNetMinor);
}
