import type { Checkout } from './checkout-page.ts';
import type { OnChange } from './sandbox-api.ts';
import { authorizeSubscription, chargePeriod, pay } from './sandbox-charges.ts';
import {
  found,
  type SandboxPayment,
  SandboxRefusal,
  type SandboxState,
  type SandboxSubscription,
} from './sandbox-state.ts';
import { signatureOf } from './signature.ts';

/** Reads what a checkout charges. @throws SandboxRefusal */
export function describeCheckout(state: SandboxState, form: URLSearchParams): Checkout {
  const returnUrl = returnUrlOf(form);
  const orderId = form.get('order_id') ?? '';
  if (orderId !== '') {
    const { id, amount, currency } = found(state.orders, orderId);
    return { kind: 'order', id, amount, currency, title: 'Order', returnUrl };
  }
  const subscription = found(state.subscriptions, form.get('subscription_id') ?? '');
  const { item } = found(state.plans, subscription.plan_id);
  const upfront = subscription.addons.reduce((sum, { item: addon }) => sum + addon.amount, 0);
  if (changesCard(form)) {
    const title = `New card for ${item.name}`;
    const card = {
      amount: isUnpaid(subscription) ? item.amount + upfront : 0,
      currency: item.currency,
      title,
      changesCard: true,
    };
    return { kind: 'subscription', id: subscription.id, ...card, returnUrl };
  }
  const amount = subscription.start_at === null ? item.amount + upfront : upfront;
  return { kind: 'subscription', id: subscription.id, amount, currency: item.currency, title: item.name, returnUrl };
}

/** A new card is charged at once for a renewal that has failed. */
const isUnpaid = ({ status }: SandboxSubscription): boolean => status === 'pending';

const changesCard = (form: URLSearchParams): boolean => form.get('subscription_card_change') === '1';

/** Returns the page that gets the result. @throws SandboxRefusal for another scheme than http */
function returnUrlOf(form: URLSearchParams): string {
  const text = form.get('return_url') ?? '';
  if (text !== '' && !/^https?:\/\//.test(text)) throw new SandboxRefusal(400, 'return_url: expected an http URL');
  return text;
}

export interface Completing {
  readonly keySecret: string;
  readonly now: number;
  readonly onChange: OnChange;
}

/** Completes a checkout as the person decided. @returns the signed result; undefined if the payment failed */
export function completeCheckout(
  state: SandboxState,
  form: URLSearchParams,
  completing: Completing,
): SignedResult | undefined {
  const { kind, id, amount, currency } = describeCheckout(state, form);
  const decided: Decided = {
    id,
    amount,
    currency,
    method: form.get('method') === 'upi' ? 'upi' : 'card',
    succeeds: form.get('outcome') !== 'failed',
  };
  if (kind === 'order') return completeOrder(state, decided, completing);
  return changesCard(form)
    ? completeCardChange(state, decided, completing)
    : completeSubscription(state, decided, completing);
}

type SignedResult = Record<string, string>;

/** What the person decided about a checkout. `id`: of the order or subscription. */
interface Decided {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly method: 'upi' | 'card';
  readonly succeeds: boolean;
}

function completeOrder(
  state: SandboxState,
  { id, amount, currency, method, succeeds }: Decided,
  { keySecret, now, onChange }: Completing,
): SignedResult | undefined {
  const order = found(state.orders, id);
  if (order.status === 'paid') throw new SandboxRefusal(400, 'Order is already paid');
  const payment = pay(state, { amount, currency, method, orderId: id, succeeds, now });
  order.status = succeeds ? 'paid' : 'attempted';
  onChange(succeeds ? 'payment.captured' : 'payment.failed', { payment });
  if (!succeeds) return undefined;
  onChange('order.paid', { payment, order });
  return signed('order', id, { payment, text: `${id}|${payment.id}`, keySecret });
}

/** Charges the new card for what is unpaid, or checks it by a payment of nothing. */
function completeCardChange(
  state: SandboxState,
  { id, amount, currency, method, succeeds }: Decided,
  { keySecret, now, onChange }: Completing,
): SignedResult | undefined {
  const subscription = found(state.subscriptions, id);
  const wasUnpaid = isUnpaid(subscription);
  const payment = wasUnpaid
    ? chargePeriod(state, subscription, { now, succeeds })
    : pay(state, { amount, currency, method, orderId: null, succeeds, now });
  if (wasUnpaid) onChange(succeeds ? 'subscription.charged' : 'subscription.pending', { subscription, payment });
  return succeeds ? signed('subscription', id, { payment, text: `${payment.id}|${id}`, keySecret }) : undefined;
}

function completeSubscription(
  state: SandboxState,
  { id, amount, currency, method, succeeds }: Decided,
  { keySecret, now, onChange }: Completing,
): SignedResult | undefined {
  const subscription = found(state.subscriptions, id);
  if (subscription.status !== 'created')
    throw new SandboxRefusal(400, `Subscription is already ${subscription.status}`);
  if (!succeeds) {
    const payment = pay(state, { amount, currency, method, orderId: null, succeeds, now });
    onChange('payment.failed', { payment });
    return undefined;
  }
  const payment = authorizeSubscription(state, subscription, { method, now });
  onChange('subscription.authenticated', { subscription });
  if (subscription.start_at === null) onChange('subscription.charged', { subscription, payment });
  return signed('subscription', id, { payment, text: `${payment.id}|${id}`, keySecret });
}

interface Signing {
  readonly payment: SandboxPayment;
  readonly text: string;
  readonly keySecret: string;
}

const signed = (kind: 'order' | 'subscription', id: string, { payment, text, keySecret }: Signing): SignedResult => ({
  razorpay_payment_id: payment.id,
  [`razorpay_${kind}_id`]: id,
  razorpay_signature: signatureOf(keySecret, text),
});

/** Charges the next period of a subscription now, which the real gateway does at its end. */
export function renew(
  state: SandboxState,
  {
    subscriptionId,
    outcome,
    now,
  }: { readonly subscriptionId: string; readonly outcome: 'paid' | 'failed' | 'halted'; readonly now: number },
  onChange: OnChange,
): object {
  const subscription = found(state.subscriptions, subscriptionId);
  if (subscription.cancels_at_end) {
    subscription.status = 'cancelled';
    onChange('subscription.cancelled', { subscription });
    return subscription;
  }
  if (outcome === 'halted') {
    subscription.status = 'halted';
    onChange('subscription.halted', { subscription });
    return subscription;
  }
  const payment = chargePeriod(state, subscription, { now, succeeds: outcome === 'paid' });
  onChange(outcome === 'paid' ? 'subscription.charged' : 'subscription.pending', { subscription, payment });
  return subscription;
}
