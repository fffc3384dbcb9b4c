import type { HttpClient } from '@tidemark/egress';
import { AppError } from '@tidemark/errors';
import type {
  ChargeRequest,
  CheckoutResult,
  Customer,
  FetchedPayment,
  FetchedSubscription,
  GatewayEvent,
  GatewayPlan,
  OrderRequest,
  PaymentGateway,
  ReceivedMessage,
  RefundRequest,
  StartRequest,
} from '../port/gateway.ts';
import type { GatewayIds } from '../port/gateway-ids.ts';
import { equalTexts, hmacHex } from '../port/signatures.ts';
import { RazorpayClient } from './razorpay-client.ts';
import { readRazorpayEvent } from './razorpay-events.ts';
import {
  type Addon,
  Addons,
  Created,
  Invoices,
  Payment,
  Payments,
  Refund,
  Subscription,
  Subscriptions,
} from './razorpay-forms.ts';
import { cardOf, gatewayStateOf, toPayment } from './razorpay-payments.ts';

export interface RazorpaySettings {
  readonly kind: 'razorpay';
  /** Such as https://api.razorpay.com/v1 */
  readonly url: string;
  readonly keyId: string;
  readonly keySecret: string;
  /** Secrets of the webhook: the current one, and the one before while it is rotated. */
  readonly webhookSecrets: readonly string[];
  /** Page on which a person pays; undefined: the script of Razorpay opens it. */
  readonly checkoutPage: string | undefined;
}

/** Charges of a subscription: ten years of months. Razorpay requires a number. */
const CYCLES = { month: 120, year: 10 } as const;
const PERIODS = { month: 'monthly', year: 'yearly' } as const;
/** Invoices of a subscription that are read, newest first. */
const LATEST = 5;

/** Razorpay over its HTTP interface (api.razorpay.com/v1). */
export class RazorpayGateway implements PaymentGateway {
  readonly name = 'razorpay';
  readonly keyId: string;
  readonly #settings: RazorpaySettings;
  readonly #razorpay: RazorpayClient;
  readonly #ids: GatewayIds;

  constructor(settings: RazorpaySettings, { http, ids }: { readonly http: HttpClient; readonly ids: GatewayIds }) {
    this.keyId = settings.keyId;
    this.#settings = settings;
    this.#razorpay = new RazorpayClient(http, settings);
    this.#ids = ids;
  }

  async checkoutUrl(kind: 'order' | 'subscription', gatewayId: string): Promise<string | undefined> {
    const { checkoutPage } = this.#settings;
    return checkoutPage === undefined ? undefined : `${checkoutPage}?${kind}_id=${encodeURIComponent(gatewayId)}`;
  }

  async start({ ref, customer, plan, upfront }: StartRequest): Promise<string> {
    const planId = await this.#planId(plan);
    const before = await this.#findSubscription(planId, ref);
    if (before !== undefined) return before;
    const later =
      upfront === undefined
        ? {}
        : {
            start_at: seconds(upfront.at),
            addons: [{ item: { name: upfront.text, amount: upfront.grossMinor, currency: plan.currency } }],
          };
    const body = {
      plan_id: planId,
      customer_id: await this.#customerId(customer),
      total_count: CYCLES[plan.period],
      quantity: 1,
      customer_notify: 0,
      notes: { tidemark_id: ref },
      ...later,
    };
    return (await this.#razorpay.post(Created, '/subscriptions', body)).id;
  }

  async change(subscriptionId: string, plan: GatewayPlan): Promise<void> {
    const body = { plan_id: await this.#planId(plan), schedule_change_at: 'cycle_end', customer_notify: 0 };
    await this.#razorpay.send(Created, { method: 'PATCH', path: `/subscriptions/${subscriptionId}`, body });
  }

  async keep(subscriptionId: string): Promise<void> {
    // Without a scheduled change, such as after a lost response, the request would be refused.
    const subscription = await this.#razorpay.get(Subscription, `/subscriptions/${subscriptionId}`);
    if (subscription.has_scheduled_changes === false) return;
    await this.#razorpay.post(Created, `/subscriptions/${subscriptionId}/cancel_scheduled_changes`, {});
  }

  async cancel(subscriptionId: string, when: 'now' | 'cycle_end'): Promise<void> {
    const { status } = await this.#razorpay.get(Subscription, `/subscriptions/${subscriptionId}`);
    if (gatewayStateOf(status) === 'closed') return;
    const body = { cancel_at_cycle_end: when === 'cycle_end' ? 1 : 0 };
    await this.#razorpay.post(Created, `/subscriptions/${subscriptionId}/cancel`, body);
  }

  async card(): Promise<Readonly<Record<string, string>>> {
    return { subscription_card_change: '1' };
  }

  async order({ ref, amountMinor, currency, text }: OrderRequest): Promise<string> {
    // With `unique_receipt` a repeated receipt returns the order that exists.
    const body = {
      amount: amountMinor,
      currency,
      receipt: ref,
      unique_receipt: true,
      notes: { tidemark_id: ref, text },
    };
    return (await this.#razorpay.post(Created, '/orders', body)).id;
  }

  async fetchOrder(orderId: string): Promise<readonly FetchedPayment[]> {
    const { items } = await this.#razorpay.get(Payments, `/orders/${orderId}/payments`);
    return items.map((payment) => toPayment(payment));
  }

  async fetchSubscription(subscriptionId: string): Promise<FetchedSubscription> {
    const { status } = await this.#razorpay.get(Subscription, `/subscriptions/${subscriptionId}`);
    const list = `/invoices?subscription_id=${subscriptionId}&count=${LATEST}`;
    const { items } = await this.#razorpay.get(Invoices, list);
    const paid = await Promise.all(
      items
        .filter(({ payment_id: id }) => (id ?? '') !== '')
        .map(async (invoice) => ({ invoice, payment: await this.#payment(invoice.payment_id ?? '') })),
    );
    const card = paid.map(({ payment }) => cardOf(payment)).find((text) => text !== '') ?? '';
    return {
      state: gatewayStateOf(status),
      card,
      payments: paid.map(({ payment, invoice }) => toPayment(payment, invoice)),
    };
  }

  async fetchPayment(paymentId: string): Promise<FetchedPayment> {
    return toPayment(await this.#payment(paymentId));
  }

  async addCharge({ subscriptionId, ref, amountMinor, currency, text }: ChargeRequest): Promise<void> {
    const matches = (addon: Addon) => addon.subscription_id === subscriptionId && addon.item.description === ref;
    if ((await this.#razorpay.search(Addons, '/addons?', matches)).found !== undefined) return;
    const body = { item: { name: text, description: ref, amount: amountMinor, currency }, quantity: 1 };
    await this.#razorpay.post(Created, `/subscriptions/${subscriptionId}/addons`, body);
  }

  async refund({ paymentId, ref, amountMinor }: RefundRequest) {
    const body = { amount: amountMinor, receipt: ref, notes: { tidemark_id: ref } };
    const headers = { 'x-refund-idempotency': ref };
    const { id, status } = await this.#razorpay.send(Refund, {
      method: 'POST',
      path: `/payments/${paymentId}/refund`,
      body,
      headers,
    });
    return { id, state: status };
  }

  verifyCheckout({ kind, gatewayId, paymentId, signature }: CheckoutResult): boolean {
    const signed = kind === 'order' ? `${gatewayId}|${paymentId}` : `${paymentId}|${gatewayId}`;
    return equalTexts(hmacHex(this.#settings.keySecret, signed), signature);
  }

  readEvent(message: ReceivedMessage): GatewayEvent {
    return readRazorpayEvent(message, this.#settings.webhookSecrets);
  }

  #payment(id: string): Promise<Payment> {
    return this.#razorpay.get(Payment, `/payments/${id}`);
  }

  /** Returns the id of a plan with this price, which is created once. */
  async #planId({ plan, name, period, currency, grossMinor }: GatewayPlan): Promise<string> {
    const key = [plan, period, currency, grossMinor].join(':');
    const known = await this.#ids.find('plan', key);
    if (known !== undefined) return known;
    const item = { name, amount: grossMinor, currency };
    const body = { period: PERIODS[period], interval: 1, item, notes: { tidemark_id: key } };
    return this.#ids.save('plan', key, (await this.#razorpay.post(Created, '/plans', body)).id);
  }

  async #customerId({ workspaceId, name, email }: Customer): Promise<string> {
    const known = await this.#ids.find('customer', workspaceId);
    if (known !== undefined) return known;
    // Without `fail_existing` a customer with the same address would be refused.
    const body = { name, email, fail_existing: '0', notes: { tidemark_id: workspaceId } };
    return this.#ids.save('customer', workspaceId, (await this.#razorpay.post(Created, '/customers', body)).id);
  }

  /** Finds a subscription by our id: Razorpay has no idempotency key for them. */
  async #findSubscription(planId: string, ref: string): Promise<string | undefined> {
    const matches = ({ notes }: Subscription) => notes != null && !Array.isArray(notes) && notes['tidemark_id'] === ref;
    const { found, isComplete } = await this.#razorpay.search(
      Subscriptions,
      `/subscriptions?plan_id=${planId}&`,
      matches,
    );
    if (found !== undefined || isComplete) return found?.id;
    throw new AppError(
      'unavailable',
      'too many subscriptions of this plan to look for an earlier one; try again later',
    );
  }
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000);
