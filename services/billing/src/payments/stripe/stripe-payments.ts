import type { PaymentState } from '../../states/payment-state.ts';
import type { GatewayState } from '../../states/subscription-state.ts';
import type { FetchedPayment } from '../port/gateway.ts';
import type { Invoice, PaymentIntent } from './stripe-forms.ts';

/** Converts a payment, with the period of the invoice that it pays. */
export function toPayment(intent: PaymentIntent, invoice?: Invoice): FetchedPayment {
  const period = invoice?.lines.data.find(({ type }) => type === 'subscription')?.period;
  const refundedMinor = intent.latest_charge?.amount_refunded ?? 0;
  return {
    id: intent.id,
    state: stateOf(intent, refundedMinor),
    amountMinor: intent.amount,
    refundedMinor,
    currency: intent.currency.toUpperCase(),
    method: intent.latest_charge?.payment_method_details?.type ?? '',
    paidAt: toDate(intent.latest_charge?.created ?? intent.created),
    period: period === undefined ? undefined : { start: toDate(period.start), end: toDate(period.end) },
  };
}

function stateOf({ status, amount, last_payment_error: failure }: PaymentIntent, refundedMinor: number): PaymentState {
  switch (status) {
    case 'succeeded':
      return refundedMinor >= amount ? 'refunded' : 'captured';
    case 'requires_capture':
      return 'authorized';
    case 'canceled':
      return 'failed';
    default:
      return failure == null ? 'created' : 'failed';
  }
}

/** Returns a state of the port. An unknown state of the gateway counts as active: its payments decide. */
export function gatewayStateOf(status: string): GatewayState {
  switch (status) {
    case 'incomplete':
      return 'created';
    case 'trialing':
      return 'authenticated';
    case 'past_due':
    case 'unpaid':
    case 'paused':
      return 'unpaid';
    case 'canceled':
    case 'incomplete_expired':
      return 'closed';
    default:
      return 'active';
  }
}

/** Such as "Visa 4242"; empty for other means. */
export function cardOf(intent: PaymentIntent): string {
  const card = intent.latest_charge?.payment_method_details?.card;
  const brand = card?.brand ?? '';
  return `${brand.charAt(0).toUpperCase()}${brand.slice(1)} ${card?.last4 ?? ''}`.trim();
}

const toDate = (seconds: number): Date => new Date(seconds * 1_000);
