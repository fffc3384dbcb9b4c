import type { StoredLine } from '../../documents/document.ts';
import type { FetchedPayment } from '../port/gateway.ts';
import type { OverageCharge } from '../store/overage-store.ts';
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
  /** Charges of overage that the payment includes. */
  readonly overage: readonly string[];
}

type Price = Omit<PaidFor, 'overage'>;

/**
 * Returns what a payment pays for; undefined if its amount, currency or period fits nothing that is due, such as the check of a card before a
 * later start: a good signature is no good amount. A renewal includes the charges of overage that the gateway had by then: the first ones of
 * `charges`.
 */
export function paidFor(
  row: SubscriptionRow,
  payment: FetchedPayment,
  charges: readonly OverageCharge[] = [],
): PaidFor | undefined {
  if (payment.currency !== row.currency) return undefined;
  if (row.paidUntil === null) return withOverage(firstPayment(row, payment), []);
  for (let count = charges.length; count >= 0; count -= 1) {
    const included = charges.slice(0, count);
    const overageMinor = included.reduce((sum, { grossMinor }) => sum + Number(grossMinor), 0);
    const found = renewal(row, { ...payment, amountMinor: payment.amountMinor - overageMinor });
    if (found !== undefined) return withOverage(found, included);
  }
  return undefined;
}

const withOverage = (price: Price | undefined, charges: readonly OverageCharge[]): PaidFor | undefined =>
  price && {
    ...price,
    lines: [...price.lines, ...charges.flatMap(({ lines }) => lines)],
    overage: charges.map(({ id }) => id),
  };

function firstPayment(row: SubscriptionRow, { amountMinor, period }: FetchedPayment): Price | undefined {
  if (amountMinor !== Number(row.dueMinor)) return undefined;
  const isUpgrade = row.firstFrom !== null && row.firstUntil !== null;
  const start = isUpgrade ? row.firstFrom : period?.start;
  const end = isUpgrade ? row.firstUntil : period?.end;
  if (start == null || end == null) return undefined;
  return { ...ownPrice(row), lines: row.dueLines, start, end, kind: 'first' };
}

function renewal(row: SubscriptionRow, { amountMinor, period }: FetchedPayment): Price | undefined {
  if (period === undefined) return undefined;
  const { next } = row;
  if (next !== null && amountMinor === next.grossMinor) return { ...nextPrice(next), ...period, kind: 'changed' };
  if (amountMinor !== Number(row.grossMinor)) return undefined;
  return { ...ownPrice(row), lines: row.renewalLines, ...period, kind: 'renewal' };
}

const ownPrice = ({ plan, netMinor, grossMinor, renewalLines }: SubscriptionRow) => ({
  plan,
  netMinor: Number(netMinor),
  grossMinor: Number(grossMinor),
  renewalLines,
});

const nextPrice = ({ plan, netMinor, grossMinor, lines }: NextPlan) => ({
  plan,
  netMinor,
  grossMinor,
  lines,
  renewalLines: lines,
});
