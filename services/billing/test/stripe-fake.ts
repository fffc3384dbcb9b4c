import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startWebSite } from '@tidemark/testkit';

type Fields = Readonly<Record<string, string>>;
interface Entity {
  readonly id: string;
  readonly object: string;
  [name: string]: unknown;
}

export const STRIPE_KEYS = { secretKey: 'sk_test_secret-of-the-key', webhookSecret: 'whsec_secret-of-the-webhook' };
const MONTH_SECONDS = 30 * 86_400;

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Stripe as far as the adapter uses it: form-encoded requests, idempotency keys, signed messages. It keeps everything in memory. */
export class StripeFake {
  readonly #objects = new Map<string, Entity>();
  readonly #responses = new Map<string, { fields: string; entity: Entity }>();
  readonly #hook: (message: { body: string; signature: string }) => void;
  /** Paths of requests that would create an object and had no idempotency key. */
  readonly unkeyed: string[] = [];

  constructor(hook: (message: { body: string; signature: string }) => void) {
    this.#hook = hook;
  }

  listen() {
    return startWebSite((request, response) => void this.#respond(request, response));
  }

  /** Completes the page of a checkout session, or of the first invoice of a subscription. */
  complete(id: string, outcome: 'paid' | 'failed'): string {
    const entity = this.#find(id);
    if (entity.object === 'checkout.session') {
      const intent = this.#intent(Number(entity['amount']), String(entity['currency']), outcome);
      entity['payment_intent'] = intent.id;
      if (outcome === 'paid') this.#send('checkout.session.completed', entity);
      return intent.id;
    }
    const invoice = this.#find(String(entity['latest_invoice']));
    const intent = this.#intent(Number(invoice['amount']), String(invoice['currency']), outcome);
    Object.assign(invoice, { payment_intent: intent.id, status: outcome === 'paid' ? 'paid' : 'open' });
    if (outcome !== 'paid') return intent.id;
    entity['status'] = entity['trial_end'] === undefined ? 'active' : 'trialing';
    this.#send('invoice.paid', invoice);
    return intent.id;
  }

  /** Renews a subscription now. */
  renew(id: string, outcome: 'paid' | 'failed' | 'halted'): void {
    const subscription = this.#find(id);
    if (outcome === 'halted') {
      subscription['status'] = 'canceled';
      this.#send('customer.subscription.deleted', subscription);
      return;
    }
    const start = Number(subscription['current_period_end']);
    const invoice = this.#invoice(subscription, { start, end: start + MONTH_SECONDS });
    const intent = this.#intent(Number(invoice['amount']), String(invoice['currency']), outcome);
    Object.assign(invoice, { payment_intent: intent.id, status: outcome === 'paid' ? 'paid' : 'open' });
    if (outcome === 'paid') subscription['current_period_end'] = start + MONTH_SECONDS;
    subscription['status'] = outcome === 'paid' ? 'active' : 'past_due';
    this.#send(outcome === 'paid' ? 'invoice.paid' : 'invoice.payment_failed', invoice);
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const text = Buffer.concat(chunks).toString('utf8');
    const send = (status: number, content: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    try {
      send(200, this.#route(request, text));
    } catch (error) {
      const message = error instanceof Error ? error.message : 'failed';
      send(error instanceof Refusal ? error.status : 500, { error: { type: 'invalid_request_error', message } });
    }
  }

  #route(request: IncomingMessage, text: string): object {
    const { method = 'GET', headers } = request;
    if (headers.authorization !== `Bearer ${STRIPE_KEYS.secretKey}`) throw new Refusal(401, 'Invalid API Key provided');
    if (headers['stripe-version'] === undefined) throw new Refusal(400, 'expected a version');
    const url = new URL(request.url ?? '/', 'http://stripe');
    const path = url.pathname.replace('/v1/', '');
    if (method === 'GET') return this.#read(path, url.searchParams);
    if (method === 'DELETE') return Object.assign(this.#find(path.split('/')[1] ?? ''), { status: 'canceled' });
    if (headers['content-type'] !== 'application/x-www-form-urlencoded') throw new Refusal(400, 'expected a form');
    const key = headers['idempotency-key'];
    const fields: Fields = Object.fromEntries(new URLSearchParams(text));
    const id = path.split('/')[1] ?? '';
    if (path.startsWith('subscriptions/')) return this.#update(this.#find(id), fields);
    if (typeof key !== 'string') {
      if (path !== 'billing_portal/sessions') this.unkeyed.push(path);
      return this.#create(path, fields);
    }
    const before = this.#responses.get(key);
    if (before !== undefined && before.fields !== text)
      throw new Refusal(400, 'Keys can only be used with the same parameters');
    const entity = before?.entity ?? this.#create(path, fields);
    this.#responses.set(key, { fields: text, entity });
    return entity;
  }

  #read(path: string, query: URLSearchParams): object {
    if (path === 'invoices' || path === 'invoiceitems') {
      const kind = path === 'invoices' ? 'invoice' : 'invoiceitem';
      const of = path === 'invoices' ? 'subscription' : 'customer';
      const matches = (entity: Entity) =>
        entity.object === kind && entity[of] === query.get(of) && (kind === 'invoice' || entity['invoice'] === null);
      const data = [...this.#objects.values()]
        .filter(matches)
        .reverse()
        .slice(0, Number(query.get('limit')));
      return { object: 'list', data: data.map((entity) => this.#expanded(entity, query)) };
    }
    return this.#expanded(this.#find(path.split('/').at(-1) ?? ''), query);
  }

  /** Replaces the ids that `expand[]` names by their objects. */
  #expanded(entity: Entity, query: URLSearchParams): Entity {
    const copy = { ...entity };
    const intent = copy.object === 'payment_intent' ? copy : this.#objects.get(String(copy['payment_intent']));
    const isExpanded = query.getAll('expand[]').some((path) => path.includes('payment_intent'));
    if (isExpanded && copy.object !== 'payment_intent') copy['payment_intent'] = intent ?? null;
    if (query.getAll('expand[]').includes('latest_invoice'))
      copy['latest_invoice'] = this.#objects.get(String(copy['latest_invoice'])) ?? null;
    return copy;
  }

  #create(path: string, fields: Fields): Entity {
    switch (path) {
      case 'customers':
        return this.#add('customer', 'cus', {});
      case 'prices':
        return this.#add('price', 'price', {
          product: `prod_${fields['metadata[tidemark_id]']}`,
          currency: fields['currency'],

          unit_amount: Number(fields['unit_amount']),
          recurring: { interval: fields['recurring[interval]'] },
        });
      case 'checkout/sessions': {
        const session = this.#add('checkout.session', 'cs_test', {
          amount: Number(fields['line_items[0][price_data][unit_amount]']),
          payment_intent: null,
          currency: fields['line_items[0][price_data][currency]'],
        });
        return Object.assign(session, { url: `https://checkout.stripe.com/c/pay/${session.id}` });
      }
      case 'subscriptions':
        return this.#subscribe(fields);
      case 'invoiceitems':
        return this.#add('invoiceitem', 'ii', {
          customer: fields['customer'],
          subscription: fields['subscription'],
          amount: Number(fields['amount']),

          invoice: null,
          metadata: { tidemark_id: fields['metadata[tidemark_id]'] },
        });
      case 'refunds':
        return this.#refund(fields);
      case 'billing_portal/sessions':
        return this.#add('billing_portal.session', 'bps', { url: 'https://billing.stripe.com/p/session/1' });
      default:
        throw new Refusal(404, `Unrecognized request URL (POST: /v1/${path})`);
    }
  }

  #subscribe(fields: Fields): Entity {
    const now = Math.floor(Date.now() / 1_000);
    const trialEnd = fields['trial_end'];
    const end = trialEnd === undefined ? now + MONTH_SECONDS : Number(trialEnd);
    const price = this.#find(fields['items[0][price]'] ?? '');
    const subscription = this.#add('subscription', 'sub', {
      customer: fields['customer'],
      status: 'incomplete',
      trial_end: trialEnd,
      current_period_end: end,
      metadata: {},
      items: { data: [{ id: 'si_1', price }] },
    });
    const upfront = fields['add_invoice_items[0][price_data][unit_amount]'];
    const invoice = this.#invoice(
      subscription,
      { start: now, end },
      upfront === undefined ? undefined : Number(upfront),
    );
    return Object.assign(subscription, { latest_invoice: invoice.id });
  }

  #update(subscription: Entity, fields: Fields): Entity {
    if (fields['cancel_at_period_end'] === 'true') subscription['cancel_at_period_end'] = true;
    const price = fields['items[0][price]'];
    if (price !== undefined) {
      if (fields['proration_behavior'] !== 'none') throw new Refusal(400, 'the change would be prorated');
      subscription['items'] = { data: [{ id: 'si_1', price: this.#find(price) }] };
    }
    const names = ['tidemark_price', 'tidemark_period'].filter((name) => `metadata[${name}]` in fields);
    const metadata = names.map((name) => [name, fields[`metadata[${name}]`] ?? '']);
    subscription['metadata'] = { ...Object(subscription['metadata']), ...Object.fromEntries(metadata) };
    return subscription;
  }

  #invoice(subscription: Entity, period: { start: number; end: number }, upfront?: number): Entity {
    const price = Object(subscription['items']).data[0].price;
    const items = [...this.#objects.values()].filter(
      (entity) =>
        entity.object === 'invoiceitem' && entity['subscription'] === subscription.id && entity['invoice'] === null,
    );
    const amount = items.reduce((sum, item) => sum + Number(item['amount']), upfront ?? price.unit_amount);
    const invoice = this.#add('invoice', 'in', {
      subscription: subscription.id,
      amount,
      currency: price.currency,
      status: 'open',
      payment_intent: null,
      lines: {
        data: [
          { type: 'invoiceitem', period: { start: 1, end: 1 } },
          { type: 'subscription', period },
        ],
      },
    });
    for (const item of items) item['invoice'] = invoice.id;
    return Object.assign(invoice, { hosted_invoice_url: `https://invoice.stripe.com/i/${invoice.id}` });
  }

  #intent(amount: number, currency: string, outcome: string): Entity {
    const isPaid = outcome === 'paid';
    const created = Math.floor(Date.now() / 1_000);
    const card = { type: 'card', card: { brand: 'visa', last4: '4242' } };
    return this.#add('payment_intent', 'pi', {
      amount,
      currency,
      created,
      status: isPaid ? 'succeeded' : 'requires_payment_method',
      last_payment_error: isPaid ? null : { code: 'card_declined' },
      latest_charge: isPaid ? { created, amount_refunded: 0, payment_method_details: card } : null,
    });
  }

  #refund(fields: Fields): Entity {
    const intent = this.#find(fields['payment_intent'] ?? '');
    const charge = Object(intent['latest_charge']);
    const amount = Number(fields['amount']);
    if (charge.amount_refunded + amount > Number(intent['amount']))
      throw new Refusal(400, 'Refund amount is greater than unrefunded amount on charge');
    charge.amount_refunded += amount;
    this.#send('charge.refunded', { id: 'ch_1', object: 'charge', payment_intent: intent.id });
    return this.#add('refund', 're', { status: 'succeeded' });
  }

  #add(object: string, prefix: string, fields: Readonly<Record<string, unknown>>): Entity {
    const entity: Entity = { id: `${prefix}_${randomBytes(7).toString('hex')}`, object, ...fields };
    this.#objects.set(entity.id, entity);
    return entity;
  }

  #find(id: string): Entity {
    const entity = this.#objects.get(id);
    if (entity === undefined) throw new Refusal(404, `No such object: '${id}'`);
    return entity;
  }

  #send(type: string, object: Entity): void {
    const body = JSON.stringify({
      id: `evt_${randomBytes(7).toString('hex')}`,
      object: 'event',
      type,
      data: { object },
    });
    this.#hook({ body, signature: signStripe(body, Math.floor(Date.now() / 1_000)) });
  }
}

/** Signs a message as Stripe does. */
export const signStripe = (body: string, seconds: number): string =>
  `t=${seconds},v1=${createHmac('sha256', STRIPE_KEYS.webhookSecret).update(`${seconds}.${body}`).digest('hex')}`;
