import type { GatewayState } from '../../states/subscription-state.ts';
import type { FetchedPayment } from '../port/gateway.ts';
import type { Payment } from './razorpay-forms.ts';

/** Converts a payment, with the period of the invoice that it pays. */
export function toPayment(
  payment: Payment,
  invoice: {
    readonly billing_start?: number | null | undefined;
    readonly billing_end?: number | null | undefined;
  } = {},
): FetchedPayment {
  const { billing_start: start, billing_end: end } = invoice;
  return {
    id: payment.id,
    state: payment.status,
    amountMinor: payment.amount,
    currency: payment.currency,
    refundedMinor: payment.amount_refunded ?? 0,
    method: payment.method ?? '',
    paidAt: toDate(payment.created_at),
    period: start == null || end == null ? undefined : { start: toDate(start), end: toDate(end) },
  };
}

/** Returns a state of the port. An unknown state of the gateway counts as active: its payments decide. */
export function gatewayStateOf(status: string): GatewayState {
  switch (status) {
    case 'created':
    case 'authenticated':
      return status;
    case 'pending':
      return 'unpaid';
    case 'halted':
    case 'cancelled':
    case 'completed':
    case 'expired':
      return 'closed';
    default:
      return 'active';
  }
}

/** Such as "Visa 4242"; empty for other means. */
export const cardOf = ({ card }: Payment): string =>
  card == null ? '' : [card.network ?? '', card.last4 ?? ''].join(' ').trim();

const toDate = (seconds: number): Date => new Date(seconds * 1_000);
