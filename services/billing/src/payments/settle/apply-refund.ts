import type pg from 'pg';
import type { Buyer } from '../../documents/document.ts';
import { issueCreditNote } from '../../documents/issue-document.ts';
import type { Seller } from '../../documents/seller.ts';
import { divideHalfUp } from '../../money/half-up.ts';
import type { FetchedPayment } from '../port/gateway.ts';
import type { OrderStore } from '../store/order-store.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import type { CreditAccounts } from './credit-accounts.ts';

/** Of a workspace without billing details. */
export const NO_DETAILS = {
  legalName: '',
  address: '',
  country: '',
  state: '',
  taxId: '',
  email: '',
} as const satisfies Buyer;

/**
 * Issues a credit note over what was refunded since the last call, and removes the same share of bought credits; the balance may become
 * negative. Refunds only grow, so that repeated and late calls change nothing.
 * @returns false if the payment was not accepted yet
 */
export type ApplyRefund = (
  db: pg.PoolClient,
  payment: Pick<FetchedPayment, 'id' | 'refundedMinor'>,
) => Promise<boolean>;

export function makeApplyRefund({
  payments,
  orders,
  accounts,
  seller,
  now,
}: {
  readonly payments: PaymentStore;
  readonly orders: OrderStore;
  readonly accounts: CreditAccounts;
  readonly seller: Seller;
  readonly now: () => Date;
}): ApplyRefund {
  return async (db, { id, refundedMinor }) => {
    const stored = await payments.lock(db, id);
    if (stored === undefined) return false;
    const [before, refunded, amount] = [
      BigInt(stored.refundedMinor),
      BigInt(refundedMinor),
      BigInt(stored.amountMinor),
    ];
    if (refunded <= before) return true;
    await payments.setRefunded(db, id, refunded);
    await issueCreditNote(db, seller, { invoiceId: stored.invoiceId, totalMinor: refunded - before, issuedAt: now() });
    if (stored.orderId === null) return true;
    const order = await orders.find(stored.workspaceId, stored.orderId);
    const bought = BigInt(order?.credits ?? 0);
    const share = (minor: bigint) => divideHalfUp(bought * minor, amount);
    await accounts.addCredits(db, {
      workspaceId: stored.workspaceId,
      kind: 'refund',
      ref: `${id}:${refunded}`,
      credits: Number(share(before) - share(refunded)),
    });
    return true;
  };
}
