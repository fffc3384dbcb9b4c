import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Checkout, PaymentServiceService as Rpc } from '@tidemark/contracts/billing/v1/payments';
import { callerIn, newWorkspace, startWebSite } from '@tidemark/testkit';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { chromiumPath } from '../../../deploy/local/parts/chromium.ts';
import { TOOLS_DIR } from '../../../deploy/local/stack-context.ts';
import { renderDocument } from '../src/documents/render-document.ts';
import { type Shop, startShop } from './shop.ts';

/** Folder of the screenshots; without it none are kept. */
const SCREENSHOTS = process.env['TIDEMARK_SCREENSHOTS'] ?? '';
const BUYER = { address: '1 Quay Road', country: 'IN', state: 'MH', taxId: '', email: '' };
const profile = mkdtempSync(join(tmpdir(), 'tidemark-checkout-'));
const problems: string[] = [];
let shop: Shop;
let browser: Browser;
let page: Page;
let billingPage: Awaited<ReturnType<typeof startWebSite>>;

beforeAll(async () => {
  // Messages are lost: only what the browser brings back confirms a payment.
  shop = await startShop({ sendsMessages: false });
  billingPage = await startWebSite((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Billing</title>'),
  );
  browser = await puppeteer.launch({
    executablePath: await chromiumPath(TOOLS_DIR, () => undefined),

    headless: 'shell',
    pipe: true,
    userDataDir: profile,
    // The pages are those of this repository, and root has no sandbox.
    args: ['--no-sandbox', '--no-zygote-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  });
  page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (line) => {
    if (line.text().includes('Content Security Policy')) problems.push(line.text());
  });
}, 120_000);
afterAll(async () => {
  await browser.close();
  await Promise.all([shop.close(), billingPage.close()]);
  rmSync(profile, { recursive: true, force: true });
});

async function keep(name: string): Promise<void> {
  if (SCREENSHOTS === '') return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

/** Opens a checkout as the console does, and presses a button. @returns what the page of the console receives */
async function complete(checkout: Checkout, button: 'paid' | 'failed', name: string): Promise<URLSearchParams> {
  await page.goto(`${checkout.url}&return_url=${encodeURIComponent(`${billingPage.origin}/billing`)}`);
  await keep(name);
  await Promise.all([page.waitForNavigation(), page.click(`button[value=${button}]`)]);
  const returned = new URL(page.url());
  expect(returned.origin).toBe(billingPage.origin);
  return new URLSearchParams(returned.hash.slice(1));
}

async function payAndConfirm(workspaceId: string, checkout: Checkout, name: string): Promise<boolean> {
  const result = await complete(checkout, 'paid', name);
  const [paymentId, signature] = [result.get('razorpay_payment_id') ?? '', result.get('razorpay_signature') ?? ''];
  return shop.confirm(workspaceId, { id: checkout.id, paymentId, signature });
}

const call = { subscription: async (id: string) => shop.billing.peer.call(Rpc.getSubscription, {}, callerIn(id)) };

describe('checkout in a real browser', () => {
  it('subscribes, upgrades, buys credits and cancels', async () => {
    const workspaceId = newWorkspace();
    expect(await payAndConfirm(workspaceId, await shop.subscribe(workspaceId), 'subscribe')).toBe(true);
    expect(await shop.account(workspaceId)).toMatchObject({ plan: 'starter', allowance: 20_000 });

    const request = { plan: 'growth', period: 'month', preview: false };
    const { checkout } = await shop.billing.peer.call(Rpc.changeSubscription, request, callerIn(workspaceId));
    if (checkout === undefined) throw new Error('no checkout');
    expect(await payAndConfirm(workspaceId, checkout, 'upgrade')).toBe(true);
    expect(await shop.account(workspaceId)).toMatchObject({ plan: 'growth' });

    expect(await payAndConfirm(workspaceId, await shop.buy(workspaceId, 2), 'buy-credits')).toBe(true);
    expect(await shop.account(workspaceId)).toMatchObject({ purchased: 20_000 });

    await shop.billing.peer.call(Rpc.cancelSubscription, {}, callerIn(workspaceId));
    expect((await call.subscription(workspaceId)).subscription).toMatchObject({ plan: 'growth', cancelAtEnd: true });
    expect(problems).toEqual([]);
  });

  it('returns an error to the console when the payment fails, and the checkout stays open', async () => {
    const workspaceId = newWorkspace();
    const checkout = await shop.buy(workspaceId);
    expect((await complete(checkout, 'failed', 'failed')).get('error')).toBe('the payment failed');
    expect(await payAndConfirm(workspaceId, checkout, 'buy-after-failure')).toBe(true);
    expect(await shop.account(workspaceId)).toMatchObject({ purchased: 10_000 });
  });
});

describe('an invoice in a real browser', () => {
  it('fits on one page of A4 and shows the address of the buyer as text', async () => {
    const workspaceId = newWorkspace();
    await shop.confirm(workspaceId, await shop.pay(await shop.subscribe(workspaceId)));
    const { invoices } = await shop.billing.peer.call(
      Rpc.listInvoices,
      { cursor: '', limit: 1 },
      callerIn(workspaceId),
    );
    const { html } = await shop.billing.peer.call(
      Rpc.renderDocument,
      { id: invoices[0]?.id ?? '' },
      callerIn(workspaceId),
    );
    await page.setContent(html);
    await keep('invoice');
    expect(await page.$eval('.parties', (element) => element.textContent)).toContain('Harbour <Exports> & Co');
    const pdf = Buffer.from(await page.pdf({ format: 'A4', preferCSSPageSize: true })).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  });

  it('with many lines is printed on several pages, with its totals on the last one only', async () => {
    const line = (at: number) => ({
      text: at % 2 === 0 ? `Credits, pack ${at}` : `باقة رصيد ${at}.`,
      quantity: 1,
      netMinor: 100_000,
      tax: [{ name: 'IGST', rate: 1_800, amountMinor: 18_000 }],
    });
    const body = {
      seller: { ...BUYER, name: 'Tidemark' },
      buyer: { ...BUYER, legalName: 'شركة مرفأ السفن (المحدودة).' },

      lines: Array.from({ length: 60 }, (_, at) => line(at)),
      note: '',
      paymentId: 'pay_1',
      invoiceNumber: '',
    };
    const heading = { id: 'inv_1', number: 'TM/26-27/000001', currency: 'INR', totalMinor: 0 };
    await page.setContent(renderDocument({ ...heading, kind: 'invoice', issuedAt: new Date(0), body }, 'nonce'));
    await keep('invoice-many-lines');
    // Chromium repeats a footer group on each page.
    expect(await page.evaluate('getComputedStyle(document.querySelector("tfoot")).display')).toBe('table-row-group');
    expect(await page.evaluate('getComputedStyle(document.querySelector(".lines")).unicodeBidi')).toBe('plaintext');
    const pdf = Buffer.from(await page.pdf({ format: 'A4', preferCSSPageSize: true })).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b/g)?.length).toBeGreaterThan(1);
  });
});
