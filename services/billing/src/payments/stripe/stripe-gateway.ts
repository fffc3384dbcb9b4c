import type { HttpClient } from '@tidemark/egress';
import { AppError } from '@tidemark/errors';
import type { RefundState } from '../../states/payment-state.ts';
import type {
  ChargeRequest,
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
import { StripeClient } from './stripe-client.ts';
import { readStripeEvent } from './stripe-events.ts';
import {
  Created,
  InvoiceItems,
  Invoices,
  OpenInvoice,
  PaymentIntent,
  PortalSession,
  Price,
  Refund,
  Session,
  Subscription,
} from './stripe-forms.ts';
import { cardOf, gatewayStateOf, toPayment } from './stripe-payments.ts';

export interface StripeSettings {
  readonly kind: 'stripe';
  /** Such as https://api.stripe.com/v1 */
  readonly url: string;
  /** The publishable key. */
  readonly keyId: string;
  readonly secretKey: string;
  /** Secrets of the webhook: the current one, and the one before while it is rotated. */
  readonly webhookSecrets: readonly string[];
  /** The billing page of the console, to which Stripe's pages return. */
  readonly returnUrl: string;
}

/** Invoices of a subscription that are read, newest first. */
const LATEST = 5;
const PAYMENT = 'expand[]=payment_intent.latest_charge';

/**
 * Stripe over its HTTP interface (api.stripe.com/v1). A subscription is paid on the hosted page of its first invoice, an order on the page of a
 * checkout session; Stripe finds a repeated request by its idempotency key.
 */
export class StripeGateway implements PaymentGateway {
  readonly name = 'stripe';
  readonly keyId: string;
  readonly #settings: StripeSettings;
  readonly #stripe: StripeClient;
  readonly #ids: GatewayIds;
  readonly #now: () => Date;

  constructor(
    settings: StripeSettings,
    { http, ids, now = () => new Date() }: { http: HttpClient; ids: GatewayIds; now?: () => Date },
  ) {
    this.keyId = settings.keyId;
    this.#settings = settings;
    this.#stripe = new StripeClient(http, settings);
    this.#ids = ids;
    this.#now = now;
  }

  async checkoutUrl(kind: 'order' | 'subscription', gatewayId: string): Promise<string | undefined> {
    if (kind === 'order') return (await this.#stripe.get(Session, `/checkout/sessions/${gatewayId}`)).url ?? undefined;
    const path = `/subscriptions/${gatewayId}?expand[]=latest_invoice`;
    const { latest_invoice: invoice } = await this.#stripe.get(OpenInvoice, path);
    return invoice?.status === 'open' ? (invoice.hosted_invoice_url ?? undefined) : undefined;
  }

  async start({ ref, customer, plan, upfront }: StartRequest): Promise<string> {
    const price = await this.#price(plan);
    const currency = plan.currency.toLowerCase();
    const later =
      upfront === undefined
        ? {}
        : {
            trial_end: Math.floor(upfront.at.getTime() / 1_000),
            add_invoice_items: [{ price_data: { currency, product: price.product, unit_amount: upfront.grossMinor } }],
          };
    const body = {
      customer: await this.#customerId(customer),
      items: [{ price: price.id }],
      // The first invoice is paid on its page; its means of payment is used for the renewals.
      payment_behavior: 'default_incomplete',
      payment_settings: { save_default_payment_method: 'on_subscription' },
      metadata: { tidemark_id: ref },
      ...later,
    };
    return (await this.#stripe.post(Created, '/subscriptions', { body, key: `start:${ref}` })).id;
  }

  async change(subscriptionId: string, plan: GatewayPlan): Promise<void> {
    const subscription = await this.#subscription(subscriptionId);
    const [item] = subscription.items.data;
    if (item?.price.recurring.interval !== plan.period)
      throw new AppError('conflict', 'the payment gateway does not change the length of a period at its end');
    const price = await this.#price(plan);
    const period = String(subscription.current_period_end);
    const { tidemark_price: first, tidemark_period: of } = subscription.metadata;
    // The price that this period was paid at: `keep` returns to it.
    const metadata = { tidemark_price: of === period && first ? first : item.price.id, tidemark_period: period };
    await this.#setPrice(subscription, price.id, metadata);
  }

  async keep(subscriptionId: string): Promise<void> {
    const subscription = await this.#subscription(subscriptionId);
    const { tidemark_price: price, tidemark_period: of } = subscription.metadata;
    if (!price || of !== String(subscription.current_period_end)) return;
    await this.#setPrice(subscription, price, { tidemark_price: '', tidemark_period: '' });
  }

  async cancel(subscriptionId: string, when: 'now' | 'cycle_end'): Promise<void> {
    const { status } = await this.#subscription(subscriptionId);
    if (gatewayStateOf(status) === 'closed') return;
    const path = `/subscriptions/${subscriptionId}`;
    if (when === 'now') await this.#stripe.delete(Created, path);
    else await this.#stripe.post(Created, path, { body: { cancel_at_period_end: true } });
  }

  async card(subscriptionId: string): Promise<Readonly<Record<string, string>>> {
    const { customer } = await this.#subscription(subscriptionId);
    const body = { customer, return_url: this.#settings.returnUrl, flow_data: { type: 'payment_method_update' } };
    return { url: (await this.#stripe.post(PortalSession, '/billing_portal/sessions', { body })).url };
  }

  async order({ ref, customer, amountMinor, currency, text }: OrderRequest): Promise<string> {
    const price = { currency: currency.toLowerCase(), unit_amount: amountMinor, product_data: { name: text } };
    const body = {
      mode: 'payment',
      customer: await this.#customerId(customer),
      client_reference_id: ref,
      line_items: [{ quantity: 1, price_data: price }],
      metadata: { tidemark_id: ref },
      success_url: this.#settings.returnUrl,
      cancel_url: this.#settings.returnUrl,
    };
    return (await this.#stripe.post(Created, '/checkout/sessions', { body, key: `order:${ref}` })).id;
  }

  async fetchOrder(orderId: string): Promise<readonly FetchedPayment[]> {
    const session = await this.#stripe.get(Session, `/checkout/sessions/${orderId}?${PAYMENT}`);
    return session.payment_intent == null ? [] : [toPayment(session.payment_intent)];
  }

  async fetchSubscription(subscriptionId: string): Promise<FetchedSubscription> {
    const { status } = await this.#subscription(subscriptionId);
    const path = `/invoices?subscription=${subscriptionId}&limit=${LATEST}&expand[]=data.payment_intent.latest_charge`;
    const { data } = await this.#stripe.get(Invoices, path);
    const paid = data.flatMap((invoice) =>
      invoice.payment_intent == null ? [] : [{ invoice, intent: invoice.payment_intent }],
    );
    const card = paid.map(({ intent }) => cardOf(intent)).find((text) => text !== '') ?? '';
    return {
      state: gatewayStateOf(status),
      card,
      payments: paid.map(({ intent, invoice }) => toPayment(intent, invoice)),
    };
  }

  async fetchPayment(paymentId: string): Promise<FetchedPayment> {
    return toPayment(await this.#stripe.get(PaymentIntent, `/payment_intents/${paymentId}?expand[]=latest_charge`));
  }

  async addCharge({ subscriptionId, ref, amountMinor, currency, text }: ChargeRequest): Promise<void> {
    const { customer } = await this.#subscription(subscriptionId);
    // Idempotency keys are deleted after a day: an older charge is found by our id.
    const { data } = await this.#stripe.get(InvoiceItems, `/invoiceitems?customer=${customer}&pending=true&limit=100`);
    if (data.some(({ metadata }) => metadata['tidemark_id'] === ref)) return;
    const body = {
      customer,
      subscription: subscriptionId,
      amount: amountMinor,
      currency: currency.toLowerCase(),

      description: text,
      metadata: { tidemark_id: ref },
    };
    await this.#stripe.post(Created, '/invoiceitems', { body, key: `charge:${subscriptionId}:${ref}` });
  }

  async refund({ paymentId, ref, amountMinor }: RefundRequest) {
    const body = { payment_intent: paymentId, amount: amountMinor, metadata: { tidemark_id: ref } };
    const { id, status } = await this.#stripe.post(Refund, '/refunds', { body, key: `refund:${ref}` });
    return { id, state: refundStateOf(status ?? '') };
  }

  /** Stripe signs no result of a checkout. A confirmation only leads to a fetch of what our own row names, so that it proves nothing and needs no proof. */
  verifyCheckout(): boolean {
    return true;
  }

  readEvent(message: ReceivedMessage): GatewayEvent {
    return readStripeEvent(message, { secrets: this.#settings.webhookSecrets, now: this.#now() });
  }

  #subscription(id: string): Promise<Subscription> {
    return this.#stripe.get(Subscription, `/subscriptions/${id}`);
  }

  /** Sets the price from the next period on: nothing is charged now. */
  async #setPrice({ id, items }: Subscription, price: string, metadata: Record<string, string>): Promise<void> {
    const body = { items: [{ id: items.data[0]?.id ?? '', price }], proration_behavior: 'none', metadata };
    await this.#stripe.post(Created, `/subscriptions/${id}`, { body });
  }

  /** Returns a price, which is created once with its product. */
  async #price({ plan, name, period, currency, grossMinor }: GatewayPlan): Promise<Price> {
    const key = [plan, period, currency, grossMinor].join(':');
    const known = await this.#ids.find('plan', key);
    if (known !== undefined) return this.#stripe.get(Price, `/prices/${known}`);
    const body = {
      currency: currency.toLowerCase(),
      unit_amount: grossMinor,
      recurring: { interval: period },

      product_data: { name },
      metadata: { tidemark_id: key },
    };
    const price = await this.#stripe.post(Price, '/prices', { body, key: `price:${key}` });
    const stored = await this.#ids.save('plan', key, price.id);
    return stored === price.id ? price : this.#stripe.get(Price, `/prices/${stored}`);
  }

  async #customerId({ workspaceId, name, email }: Customer): Promise<string> {
    const known = await this.#ids.find('customer', workspaceId);
    if (known !== undefined) return known;
    const body = { name, email, metadata: { tidemark_id: workspaceId } };
    const { id } = await this.#stripe.post(Created, '/customers', { body, key: `customer:${workspaceId}` });
    return this.#ids.save('customer', workspaceId, id);
  }
}

function refundStateOf(status: string): RefundState {
  if (status === 'succeeded') return 'processed';
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending';
}
