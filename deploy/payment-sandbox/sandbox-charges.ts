import { found, type SandboxPayment, type SandboxState, type SandboxSubscription, sandboxId } from './sandbox-state.ts';

/** Amount of the check of a means of payment before a later start, minor units; it is refunded. */
const AUTHORIZATION_MINOR = 500;

export interface PaymentRequest {
  readonly amount: number;
  readonly currency: string;
  readonly method: string;
  readonly orderId: string | null;
  readonly succeeds: boolean;
  readonly now: number;
}

/** Stores a payment. */
export function pay(state: SandboxState, request: PaymentRequest): SandboxPayment {
  const payment: SandboxPayment = {
    id: sandboxId('pay'),
    status: request.succeeds ? 'captured' : 'failed',
    amount: request.amount,
    currency: request.currency,
    amount_refunded: 0,
    method: request.method,
    order_id: request.orderId,
    created_at: request.now,
    card: request.method === 'card' ? { network: 'Visa', last4: '4242' } : null,
  };
  state.payments.set(payment.id, payment);
  return payment;
}

/** Completes the checkout of a subscription: the first period, the add-ons before a later start, or an authorization only. */
export function authorizeSubscription(
  state: SandboxState,
  subscription: SandboxSubscription,
  { method, now }: { readonly method: string; readonly now: number },
): SandboxPayment {
  subscription.method = method;
  if (subscription.start_at === null) return chargePeriod(state, subscription, { now, succeeds: true });
  const { item } = found(state.plans, subscription.plan_id);
  const addons = subscription.addons.splice(0);
  const upfront = addons.reduce((sum, { item: addon }) => sum + addon.amount, 0);
  const amount = upfront === 0 ? AUTHORIZATION_MINOR : upfront;
  const payment = pay(state, { amount, currency: item.currency, method, orderId: null, succeeds: true, now });
  subscription.status = 'authenticated';
  addInvoice(state, subscription, { payment, period: undefined });
  if (upfront === 0) Object.assign(payment, { status: 'refunded', amount_refunded: amount });
  return payment;
}

/** Charges the next period with its add-ons. A failed charge leaves the subscription pending. */
export function chargePeriod(
  state: SandboxState,
  subscription: SandboxSubscription,
  { now, succeeds }: { readonly now: number; readonly succeeds: boolean },
): SandboxPayment {
  if (subscription.scheduled_plan !== null && subscription.current_end !== null) {
    subscription.plan_id = subscription.scheduled_plan;
    subscription.scheduled_plan = null;
  }
  const { item, period } = found(state.plans, subscription.plan_id);
  const addons = subscription.addons.reduce((sum, { item: addon }) => sum + addon.amount, 0);
  const { method } = subscription;
  const amount = item.amount + addons;
  const payment = pay(state, { amount, currency: item.currency, method, orderId: null, succeeds, now });
  if (!succeeds) {
    subscription.status = 'pending';
    return payment;
  }
  const start = subscription.current_end ?? subscription.start_at ?? now;
  const end = addMonths(start, period === 'monthly' ? 1 : 12);
  Object.assign(subscription, { status: 'active', addons: [], current_start: start, current_end: end });
  addInvoice(state, subscription, { payment, period: { start, end } });
  return payment;
}

function addInvoice(
  state: SandboxState,
  subscription: SandboxSubscription,
  {
    payment,
    period,
  }: { readonly payment: SandboxPayment; readonly period: { start: number; end: number } | undefined },
): void {
  state.invoices.unshift({
    id: sandboxId('inv'),
    subscription_id: subscription.id,
    payment_id: payment.id,
    status: 'paid',
    billing_start: period?.start ?? null,
    billing_end: period?.end ?? null,
  });
}

function addMonths(seconds: number, months: number): number {
  const from = new Date(seconds * 1_000);
  const day = from.getUTCDate();
  from.setUTCDate(1);
  from.setUTCMonth(from.getUTCMonth() + months);
  const last = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 0)).getUTCDate();
  from.setUTCDate(Math.min(day, last));
  return from.getTime() / 1_000;
}
