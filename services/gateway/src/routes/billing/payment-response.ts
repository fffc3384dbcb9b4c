import { CHECKOUT_KINDS } from '@tidemark/api';
import type { Checkout, PriceLine } from '@tidemark/contracts/billing/v1/payments';
import { AppError } from '@tidemark/errors';
import { timeOf } from '../../responses/job-envelope.ts';
import { oneOf } from '../../responses/one-of.ts';

/** Converts what checkout needs. @throws AppError internal */
export function toCheckout(checkout: Checkout | undefined) {
  if (checkout === undefined) throw new AppError('internal', 'billing returned no checkout');
  const { kind, subscriptionId, orderId, lines, expiresAt, url, ...rest } = checkout;
  return {
    ...rest,
    kind: oneOf(CHECKOUT_KINDS, kind),
    subscriptionId: subscriptionId ?? null,
    orderId: orderId ?? null,
    lines: lines.map(toLine),
    expiresAt: timeOf(expiresAt),
    url: url ?? null,
  };
}

/** Rates are hundredths of a per cent inside. */
export const toLine = ({ text, quantity, netMinor, tax }: PriceLine) => ({
  text,
  quantity,
  netMinor,
  tax: tax.map(({ name, rate, amountMinor }) => ({ name, rate: rate / 100, amountMinor })),
});

interface Details {
  readonly legal_name: string;
  readonly address: string;
  readonly country: string;
  readonly state: string;
  readonly tax_id: string;
  readonly email: string;
}

/** Converts the buyer of a request. */
export const toDetails = (details: Details | undefined) =>
  details === undefined
    ? undefined
    : {
        legalName: details.legal_name,
        address: details.address,
        country: details.country,
        state: details.state,

        taxId: details.tax_id,
        email: details.email,
      };
