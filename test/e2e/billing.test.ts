import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Billing, ChangePreview, Checkout, Invoice, Receipt } from '@tidemark/sdk';
import { ROOT } from '../../deploy/local/stack-context.ts';
import { makeResponseChecker, readDocument } from '../contract/document.ts';
import type { RouteId } from '../contract/requests.ts';
import type { ApiResponse } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import type { Person } from '../harness/people.ts';
import { type Shop, startShop } from '../harness/shop.ts';
import { until } from '../harness/until.ts';

const fleet = sharedFleet();
let shop: Shop;
let checkResponse: ReturnType<typeof makeResponseChecker>;
beforeAll(async () => {
  [shop, checkResponse] = await Promise.all([startShop(fleet), readDocument(fleet).then(makeResponseChecker)]);
}, 120_000);
afterAll(async () => {
  await shop?.close();
  await fleet.close();
});

const BUYER = {
  legal_name: 'Harbour <Exports> & Co',
  address: '1 Quay Road\nPune',
  country: 'IN',
  state: 'MH',

  tax_id: '27ABCDE1234F1Z5',
  email: 'accounts@example.com',
};
const STARTER = { plan: 'starter', period: 'month', currency: 'INR', billing_details: BUYER };

/** Compares a response with the document of the API. @returns its body */
function checked<Body>(route: RouteId, status: number, response: ApiResponse): Body {
  expect([route, response.status, checkResponse(route, response)]).toEqual([route, status, []]);
  return response.body as Body;
}

const billingOf = async (person: Person): Promise<Billing> =>
  checked('getBilling', 200, await person.get('/me/billing'));
const invoicesOf = async (person: Person): Promise<readonly Invoice[]> =>
  checked<{ data: Invoice[] }>('listInvoices', 200, await person.get('/me/billing/invoices')).data;

/** Pays and confirms a checkout. */
async function pay(person: Person, checkout: Checkout): Promise<void> {
  checked('confirmPayment', 200, await shop.pay(person, checkout));
}

describe('sales through the REST interface', () => {
  it('a plan is subscribed to, upgraded for the difference, changed at the end of the period, kept and cancelled', async () => {
    const person = await shop.people.signUp();
    expect(await billingOf(person)).toMatchObject({ gateway: 'razorpay', subscription: null });
    await pay(person, checked('subscribe', 201, await person.post('/me/billing/subscribe', STARTER)));
    expect(await billingOf(person)).toMatchObject({
      plan: { id: 'starter' },
      subscription: { state: 'active', plan: 'starter', card: 'Visa 4242', next: null },
      credits: { allowance: 20_000, allowanceLeft: 20_000 },
      billingDetails: BUYER,
    });
    expect((await person.post('/me/billing/subscribe', STARTER)).status).toBe(409);

    const upgrade = { plan: 'growth', period: 'month' };
    const preview = await person.post('/me/billing/change', { ...upgrade, preview: true });
    const { creditMinor, chargeMinor, dueMinor } = checked<ChangePreview>('changePlan', 200, preview);
    // IGST of 18 % on the difference, rounded once.
    expect(dueMinor).toBe(Math.round((chargeMinor - creditMinor) * 1.18));
    await pay(person, checked('changePlan', 201, await person.post('/me/billing/change', upgrade)));
    expect(await billingOf(person)).toMatchObject({ plan: { id: 'growth' }, subscription: { plan: 'growth' } });

    const down = await person.post('/me/billing/change', { plan: 'starter', period: 'month' });
    expect(checked('changePlan', 200, down)).toMatchObject({ subscription: { next: { plan: 'starter' } } });
    const kept = await person.post('/me/billing/keep', {});
    expect(checked('keepPlan', 200, kept)).toMatchObject({ subscription: { next: null } });
    const card = await person.post('/me/billing/card', {});
    expect(checked('changeCard', 201, card)).toMatchObject({ kind: 'card', amountMinor: 0 });
    const cancelled = await person.post('/me/billing/cancel', { reason: 'The project has ended.' });
    expect(checked('cancelPlan', 200, cancelled)).toMatchObject({ subscription: { cancelAtEnd: true } });
    expect(await invoicesOf(person)).toMatchObject([{ state: 'paid' }, { state: 'paid', totalMinor: 224_200 }]);
  });

  it('credits are bought once for an idempotency key, refunded by a credit note, and both documents are pages and PDF files', async () => {
    const person = await shop.people.signUp();
    const pack = { pack: 'credits_10000', quantity: 2, currency: 'INR', billing_details: BUYER };
    const buy = () => person.post('/me/billing/credits/buy', pack, { 'idempotency-key': 'order-1' });
    const [first, second] = [await buy(), await buy()];
    const checkout = checked<Checkout>('buyCredits', 201, first);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(checked<Checkout>('buyCredits', 201, second).orderId).toBe(checkout.orderId);
    await pay(person, checkout);
    expect((await billingOf(person)).credits.purchasedLeft).toBe(20_000);

    const list = await person.get('/me/billing/receipts');
    const receipts = checked<{ data: Receipt[] }>('listReceipts', 200, list).data;
    expect(receipts).toMatchObject([{ amountMinor: 259_600, refundedMinor: 0, method: 'card' }]);
    await shop.refund(receipts[0]?.gatewayPaymentId ?? '', 64_900);
    await until('the credit note', async () => (await invoicesOf(person))[0]?.creditNotes.length === 1);
    expect((await billingOf(person)).credits.purchasedLeft).toBe(15_000);

    const [invoice] = await invoicesOf(person);
    expect(invoice).toMatchObject({ state: 'partly_refunded', totalMinor: 259_600 });
    const note = invoice?.creditNotes[0];
    const stranger = await shop.people.signUp();
    for (const [path, number] of [
      [`/me/billing/invoices/${invoice?.id}`, invoice?.number ?? ''],
      [`/me/billing/credit-notes/${note?.id}`, note?.number ?? ''],
    ] as const) {
      const page = await person.get(path, { accept: 'text/html' });
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(page.text).toContain('Harbour &lt;Exports&gt; &amp; Co');
      expect(page.text).toContain(number);
      expect(await pdfTextOf(person, path)).toContain(number);
      expect((await stranger.get(path)).status).toBe(404);
    }
  });
});

/** What the test uses of pdf.js. */
interface PdfReader {
  extractText(bytes: Uint8Array, options: { mergePages: true }): Promise<{ totalPages: number; text: string }>;
}

/** Reads a document as PDF with pdf.js, and returns its text. */
async function pdfTextOf(person: Person, path: string): Promise<string> {
  const response = await fetch(`${shop.url}/v1${path}?format=pdf`, { headers: { cookie: person.jar.cookie } });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf']);
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect(Buffer.from(bytes.subarray(0, 5)).toString('latin1')).toBe('%PDF-');
  const pageReader = createRequire(join(ROOT, 'libs/page-reader/package.json'));
  const reader: PdfReader = await import(pageReader.resolve('unpdf'));
  const { totalPages, text } = await reader.extractText(bytes, { mergePages: true });
  expect(totalPages).toBe(1);
  expect(text).toContain('Harbour <Exports> & Co');
  return text;
}

/** Sends a message of the gateway to the public address of its hook. */
async function sendHook(body: string, signature: string, gateway = 'razorpay'): Promise<number> {
  const response = await fetch(`${shop.url}/hooks/payments/${gateway}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-razorpay-signature': signature,
      'x-razorpay-event-id': `evt_${crypto.randomUUID()}`,
    },
    body,
  });
  await response.body?.cancel();
  return response.status;
}

const signed = (body: string, secret = shop.env['RAZORPAY_WEBHOOK_SECRETS'] ?? ''): string =>
  createHmac('sha256', secret).update(body).digest('hex');

const holdWebhooks = (action: 'hold' | 'release_reversed', times = 1) =>
  fetch(`${shop.sandboxUrl}/sandbox/webhooks`, { method: 'POST', body: JSON.stringify({ action, times }) });

describe('the hook of the payment gateway', () => {
  it('accepts a signed message any number of times, and refuses wrong signatures and unknown gateways', async () => {
    const body = JSON.stringify({ event: 'payment.captured', payload: {} });
    expect([await sendHook(body, signed(body)), await sendHook(body, signed(body))]).toEqual([200, 200]);
    expect(await sendHook(body, signed(body, 'another secret'))).toBe(400);
    expect(await sendHook(`${body} `, signed(body))).toBe(400);
    expect(await sendHook(body, '')).toBe(400);
    expect(await sendHook(body, signed(body), 'paypal')).toBe(404);
  });

  it('begins a plan and adds credits once, without a confirmation, for messages that are repeated and arrive in reverse order', async () => {
    const person = await shop.people.signUp();
    await holdWebhooks('hold');
    const subscribed = await person.post('/me/billing/subscribe', STARTER);
    await shop.complete(checked('subscribe', 201, subscribed));
    const bought = await person.post('/me/billing/credits/buy', { pack: 'credits_10000', currency: 'INR' });
    await shop.complete(checked('buyCredits', 201, bought));
    expect(await billingOf(person)).toMatchObject({ subscription: null, credits: { purchasedLeft: 0 } });
    await holdWebhooks('release_reversed', 3);
    await until('the plan and the credits', async () => {
      const { subscription, credits } = await billingOf(person);
      return subscription?.plan === 'starter' && credits.purchasedLeft === 10_000;
    });
    expect(await invoicesOf(person)).toHaveLength(2);
  });
});
