import { z } from 'zod';
import {
  found,
  type SandboxInvoice,
  type SandboxPayment,
  SandboxRefusal,
  type SandboxState,
  type SandboxSubscription,
  sandboxId,
} from './sandbox-state.ts';

const notes = z.record(z.string(), z.string()).default({});
const item = z.object({
  name: z.string(),
  description: z.string().default(''),
  amount: z.int().min(1),
  currency: z.string().length(3),
});
const NewCustomer = z.object({ name: z.string().default(''), email: z.string(), notes });
const NewPlan = z.object({ period: z.enum(['monthly', 'yearly']), interval: z.literal(1), item });
const NewOrder = z.object({
  amount: z.int().min(100, 'the amount must be at least 100'),
  currency: z.string().length(3),
  receipt: z.string().max(40),
  unique_receipt: z.boolean().default(false),
});
const NewSubscription = z.object({
  plan_id: z.string(),
  total_count: z.int().min(1),
  notes,
  start_at: z.int().optional(),
  addons: z.array(z.object({ item })).default([]),
});
const Update = z.object({ plan_id: z.string(), schedule_change_at: z.literal('cycle_end') });
const Cancel = z.object({ cancel_at_cycle_end: z.union([z.literal(0), z.literal(1)]) });
const NewRefund = z.object({ amount: z.int().min(1), receipt: z.string() });
const NewAddon = z.object({ item, quantity: z.int().min(1) });

export interface ApiRequest {
  readonly method: string;
  /** Without /v1, in parts. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly now: number;
}

/** Reports a change that a webhook states. */
export type OnChange = (event: string, objects: Readonly<Record<string, object>>) => void;

/** Answers a request as Razorpay does. @throws SandboxRefusal, ZodError */
export function respondAsApi(state: SandboxState, request: ApiRequest, onChange: OnChange): object {
  const [resource = '', id = '', action = ''] = request.path;
  switch (`${request.method} ${resource}${id === '' ? '' : '/:id'}${action === '' ? '' : `/${action}`}`) {
    case 'POST customers':
      return createCustomer(state, request.body);
    case 'POST plans':
      return stored(state.plans, { id: sandboxId('plan'), ...NewPlan.parse(request.body) });
    case 'POST orders':
      return createOrder(state, request.body);
    case 'GET orders/:id':
      return found(state.orders, id);
    case 'GET orders/:id/payments':
      return list(
        [...state.payments.values()].filter((payment) => payment.order_id === id),
        request.query,
      );
    case 'GET payments/:id':
      return found(state.payments, id);
    case 'POST payments/:id/refund':
      return refund(state, found(state.payments, id), { body: request.body, onChange });
    case 'GET addons':
      return list(state.addons, request.query);
    case 'GET invoices':
      return list(invoicesOf(state, request.query), request.query);
    default:
      return respondForSubscriptions(state, request, onChange);
  }
}

function respondForSubscriptions(state: SandboxState, request: ApiRequest, onChange: OnChange): object {
  const [resource = '', id = '', action = ''] = request.path;
  if (resource !== 'subscriptions') throw new SandboxRefusal(404, 'The requested URL was not found on the server.');
  if (id === '') {
    const ofPlan = [...state.subscriptions.values()].filter((one) => one.plan_id === request.query.get('plan_id'));
    return request.method === 'GET' ? list(ofPlan, request.query) : createSubscription(state, request.body);
  }
  const subscription = found(state.subscriptions, id);
  switch (`${request.method} ${action}`) {
    case 'GET ':
      return { ...subscription, has_scheduled_changes: subscription.scheduled_plan !== null };
    case 'PATCH ':
      return scheduleChange(state, subscription, request.body);
    case 'POST cancel_scheduled_changes':
      if (subscription.scheduled_plan === null) throw new SandboxRefusal(400, 'There is no scheduled change');
      subscription.scheduled_plan = null;
      return subscription;
    case 'POST cancel':
      return cancel(subscription, Cancel.parse(request.body).cancel_at_cycle_end === 1, onChange);
    case 'POST addons': {
      const addon = { id: sandboxId('ao'), subscription_id: id, item: NewAddon.parse(request.body).item };
      subscription.addons.push(addon);
      state.addons.unshift(addon);
      return addon;
    }
    default:
      throw new SandboxRefusal(404, 'The requested URL was not found on the server.');
  }
}

function createCustomer(state: SandboxState, body: unknown): object {
  const { email } = NewCustomer.parse(body);
  const known = [...state.customers.values()].find((customer) => customer.email === email);
  return known ?? stored(state.customers, { id: sandboxId('cust'), email });
}

function createOrder(state: SandboxState, body: unknown): object {
  const { unique_receipt: isUnique, ...order } = NewOrder.parse(body);
  const known = [...state.orders.values()].find(({ receipt }) => receipt === order.receipt);
  if (known !== undefined && isUnique) return known;
  return stored(state.orders, { id: sandboxId('order'), ...order, status: 'created' });
}

function createSubscription(state: SandboxState, body: unknown): object {
  const request = NewSubscription.parse(body);
  found(state.plans, request.plan_id);
  const id = sandboxId('sub');
  return stored<SandboxSubscription>(state.subscriptions, {
    id,
    plan_id: request.plan_id,
    status: 'created',
    notes: request.notes,
    start_at: request.start_at ?? null,
    addons: request.addons.map((addon) => ({ id: sandboxId('ao'), subscription_id: id, ...addon })),
    current_start: null,
    current_end: null,
    scheduled_plan: null,
    cancels_at_end: false,
    method: '',
  });
}

/** As the real gateway: only cards can be changed, and only while the subscription is authenticated or active. */
function scheduleChange(state: SandboxState, subscription: SandboxSubscription, body: unknown): object {
  const { plan_id: planId } = Update.parse(body);
  if (subscription.status !== 'active' && subscription.status !== 'authenticated')
    throw new SandboxRefusal(400, `Subscription is not in a state to be updated: ${subscription.status}`);
  if (subscription.method !== 'card')
    throw new SandboxRefusal(400, 'Subscriptions authorized by this means of payment can not be updated');
  if (found(state.plans, planId).period !== found(state.plans, subscription.plan_id).period)
    throw new SandboxRefusal(400, 'The period of a subscription can not be updated');
  subscription.scheduled_plan = planId;
  return subscription;
}

function cancel(subscription: SandboxSubscription, atEnd: boolean, onChange: OnChange): object {
  if (subscription.status === 'cancelled') throw new SandboxRefusal(400, 'Subscription is already cancelled');
  if (atEnd) subscription.cancels_at_end = true;
  else {
    subscription.status = 'cancelled';
    onChange('subscription.cancelled', { subscription });
  }
  return subscription;
}

interface Refunding {
  readonly body: unknown;
  readonly onChange: OnChange;
}

function refund(state: SandboxState, payment: SandboxPayment, { body, onChange }: Refunding): object {
  const { amount, receipt } = NewRefund.parse(body);
  const known = state.refunds.get(receipt);
  if (known !== undefined) return known;
  if (payment.status !== 'captured' || amount > payment.amount - payment.amount_refunded)
    throw new SandboxRefusal(400, 'The refund amount is greater than the amount that is left of the payment');
  payment.amount_refunded += amount;
  if (payment.amount_refunded === payment.amount) payment.status = 'refunded';
  const made = { id: sandboxId('rfnd'), payment_id: payment.id, amount, status: 'processed' as const };
  state.refunds.set(receipt, made);
  onChange('refund.processed', { refund: made, payment });
  return made;
}

function stored<T extends { readonly id: string }>(objects: Map<string, T>, object: T): T {
  objects.set(object.id, object);
  return object;
}

const invoicesOf = ({ invoices }: SandboxState, query: URLSearchParams): SandboxInvoice[] =>
  invoices.filter((invoice) => invoice.subscription_id === query.get('subscription_id'));

function list(objects: readonly object[], query: URLSearchParams): object {
  const skip = Number(query.get('skip') ?? 0);
  const items = objects.slice(skip, skip + Number(query.get('count') ?? 10));
  return { entity: 'collection', count: items.length, items };
}
