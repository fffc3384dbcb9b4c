import type { StoredLine } from '../../documents/document.ts';
import type { FetchedPayment } from '../port/gateway.ts';
import type { NextPlan, SubscriptionRow } from '../store/subscription-row.ts';

/** What a payment of a subscription pays for. */
export interface PaidFor {
  readonly plan: string;
  readonly netMinor: number;
  readonly grossMinor: number;
  readonly lines: readonly StoredLine[];
  /** Lines of the renewals after it. */
  readonly renewalLines: readonly StoredLine[];
  readonly start: Date;
  readonly end: Date;
  readonly kind: 'first' | 'renewal' | 'changed';
}

/**
 * Returns what a payment pays for; undefined if its amount, currency or period fits nothing that is due, such as the check of a card before a
 * later start: a good signature is no good amount.
 */
export function paidFor(row: SubscriptionRow, payment: FetchedPayment): PaidFor | undefined {
  if (payment.currency !== row.currency) return undefined;
  return row.paidUntil === null ? firstPayment(row, payment) : renewal(row, payment);
}

function firstPayment(row: SubscriptionRow, { amountMinor, period }: FetchedPayment): PaidFor | undefined {
  if (amountMinor !== Number(row.dueMinor)) return undefined;
  const isUpgrade = row.firstFrom !== null && row.firstUntil !== null;
  const start = isUpgrade ? row.firstFrom : period?.start;
  const end = isUpgrade ? row.firstUntil : period?.end;
  if (start == null || end == null) return undefined;
  return { ...ownPrice(row), lines: row.dueLines, start, end, kind: 'first' };
}

function renewal(row: SubscriptionRow, { amountMinor, period }: FetchedPayment): PaidFor | undefined {
  if (period === undefined) return undefined;
  const { next } = row;
  if (next !== null && amountMinor === next.grossMinor) return { ...nextPrice(next), ...period, kind: 'changed' };
  if (amountMinor !== Number(row.grossMinor)) return undefined;
  return { ...ownPrice(row), lines: row.renewalLines, ...period, kind: 'renewal' };
}

const ownPrice = ({ plan, netMinor, grossMinor, renewalLines }: SubscriptionRow) => ({
  ...{ plan, netMinor: Number(netMinor), grossMinor: Number(grossMinor), renewalLines },
});

const nextPrice = ({ plan, netMinor, grossMinor, lines }: NextPlan) => ({
  ...{ plan, netMinor, grossMinor, lines, renewalLines: lines },
});
