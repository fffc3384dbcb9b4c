import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type HarbourSite, startHarbour } from '../e2e/harbour-site.ts';
import { sharedFleet } from '../harness/fleet.ts';
import type { Person } from '../harness/people.ts';
import { type Shop, startShop } from '../harness/shop.ts';
import { until } from '../harness/until.ts';
import { flawsOf, launchChromium, openPage, signIn } from './console-browser.ts';
import { THEMES } from './displays.ts';
import { keepPicture, runJourney } from './journey.ts';

const fleet = sharedFleet();
let shop: Shop;
let browser: Browser;
let site: HarbourSite;
beforeAll(async () => {
  [shop, browser, site] = await Promise.all([startShop(fleet), launchChromium(), startHarbour('127.0.0.5')]);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  site?.close();
  await shop?.close();
  await fleet.close();
});

const LONG_NAME = 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen & <Söhne> شركة مرفأ السفن المحدودة';
const DISPLAYS = [...THEMES, ['phone', { theme: 'light', width: 390, height: 800 }]] as const;
const BUYER = { legal_name: LONG_NAME, address: '1 Quay Road\nPune', country: 'IN', state: 'MH' };

const MONTH_AND_HOUR_SECONDS = 31 * 86_400 + 3_600;

async function fillBuyer(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name of the person or company').fill(name);
  await page.getByLabel('Address', { exact: true }).fill('1 Quay Road\nشارع الميناء ١\nPune');
  await page.getByLabel('Country').selectOption('IN');
  await page.getByLabel('State or region').fill('MH');
}

/** Presses a button of the payment page of the sandbox, which returns to the console. */
async function payInSandbox(page: Page, button = 'Pay'): Promise<void> {
  await page.getByRole('heading').first().waitFor();
  await page.getByText('Sandbox: no money is moved.').waitFor();
  await page.getByRole('button', { name: button, exact: true }).click();
}

/** Fails if a tab or a link to a document is cut off at the side of the window. */
async function expectWithinWindow(page: Page): Promise<void> {
  const width = page.viewportSize()?.width ?? 0;
  for (const one of [
    ...(await page.getByRole('tab').all()),
    ...(await page.getByRole('link', { name: /Open the document|PDF of/ }).all()),
  ]) {
    const box = await one.boundingBox();
    expect([await one.textContent(), (box?.x ?? -1) >= 0, (box?.x ?? 0) + (box?.width ?? width + 1) <= width]).toEqual([
      await one.textContent(),
      true,
      true,
    ]);
  }
}

const openBilling = async (page: Page): Promise<void> => {
  await page.locator('#content').waitFor();
  const menu = page.getByRole('button', { name: 'Menu' });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole('link', { name: 'Plan and billing' }).first().click();
  await page.getByRole('heading', { name: 'Plans', exact: true }).waitFor();
};

describe.each(DISPLAYS)('the page of plan and billing (%s)', (theme, display) => {
  it('subscribes, upgrades after a preview, buys credits, sets the cap and a limit, and cancels', async () => {
    const person = await shop.people.signUp();
    await runJourney(browser, {
      name: `billing ${theme}`,
      url: shop.url,
      email: person.email,
      display,
      steps: async (page) => {
        await openBilling(page);
        await keepPicture(page, `billing-without-a-plan-${theme}`);
        await page.getByRole('button', { name: 'Subscribe to Starter' }).click();
        await fillBuyer(page, LONG_NAME);
        await page.getByRole('button', { name: 'Save and continue' }).click();
        await page.getByText('IGST').first().waitFor();
        await keepPicture(page, `billing-review-${theme}`);
        expect(await flawsOf(page)).toEqual([]);
        await page.getByRole('button', { name: 'Continue to payment' }).click();
        await page.getByText('Sandbox: no money is moved.').waitFor();
        await keepPicture(page, `billing-sandbox-${theme}`);
        expect(await flawsOf(page)).toEqual([]);
        await payInSandbox(page);
        await page.getByText('The payment is confirmed.').waitFor();
        await page.getByText('Visa 4242').waitFor();
        await page.getByText('current plan', { exact: true }).waitFor();
        await keepPicture(page, `billing-starter-${theme}`);
        expect(await flawsOf(page)).toEqual([]);

        await page.getByRole('button', { name: 'Change to Growth' }).click();
        await page.getByText('For unused time of the current plan').waitFor();
        await page.getByText('Due now, tax included').waitFor();
        await keepPicture(page, `billing-upgrade-${theme}`);
        expect(await flawsOf(page)).toEqual([]);
        await page.getByRole('button', { name: 'Continue to payment' }).click();
        await payInSandbox(page);
        await page.getByText('The payment is confirmed.').waitFor();
        await page.getByRole('button', { name: 'Change to Starter' }).click();
        await page.getByText('Nothing is due now.').waitFor();
        await page.getByRole('button', { name: 'Schedule the change' }).click();
        await page.getByText('Changes to Starter on').waitFor();
        await page.getByRole('button', { name: 'Keep the current plan' }).click();
        await page.getByText('The change is called off.').waitFor();

        await page.getByLabel('Quantity').fill('2');
        await page.getByRole('button', { name: 'Buy 20,000 credits' }).click();
        await page.getByRole('button', { name: 'Continue to payment' }).click();
        await payInSandbox(page, 'Let the payment fail');
        await page.getByText('The payment failed').waitFor();
        expect(await flawsOf(page)).toEqual([]);
        await page.getByRole('button', { name: 'Open the payment page again' }).click();
        await payInSandbox(page);
        await page.getByText('The payment is confirmed.').waitFor();
        await page.getByText('bought credits').first().waitFor();

        await page.getByRole('tab', { name: 'Limits' }).click();
        await page.getByLabel('Multiple of the allowance').fill('2');
        await page.getByText(/At most 200,000 credits of overage in a period: INR/).waitFor();
        await page.getByRole('button', { name: 'Save: Overage cap' }).click();
        await page.getByText('The cap is saved.').waitFor();
        await page.getByLabel('Credits each period').fill('500');
        await page.getByRole('button', { name: 'Set the limit' }).click();
        await page.getByRole('button', { name: 'Remove the limit of Ann' }).waitFor();
        await keepPicture(page, `billing-limits-${theme}`);
        expect(await flawsOf(page)).toEqual([]);

        await page.getByRole('tab', { name: 'Plan and spend' }).click();
        await page.getByRole('button', { name: 'Cancel the subscription' }).click();
        await page.getByRole('heading', { name: 'Cancel the subscription?' }).waitFor();
        await page.getByRole('dialog').getByRole('button', { name: 'Cancel the subscription' }).click();
        await page.getByText(/^Cancelled: it ends on/).waitFor();
        await page
          .getByText(/^From .* you can subscribe again\.$/)
          .first()
          .waitFor();
        await keepPicture(page, `billing-cancelled-${theme}`);
      },
    });
  });

  it('lists invoices with credit notes, opens them as pages that print on A4, and shows a renewal that failed on every page until a new card pays it', async () => {
    const person = await shop.people.signUp();
    // Paid more than a month ago: the gateway charges the next month below.
    await shop.moveClock(-MONTH_AND_HOUR_SECONDS);
    const subscribed = await person.post('/me/billing/subscribe', { plan: 'starter', billing_details: BUYER });
    const checkout = subscribed.body as { id: string; kind: string; subscriptionId: string; orderId: null };
    expect((await shop.pay(person, checkout)).status).toBe(200);
    await shop.moveClock(0);
    const { body } = await person.get('/me/billing/receipts');
    const [receipt] = (body as { data: { gatewayPaymentId: string }[] }).data;
    await shop.refund(receipt?.gatewayPaymentId ?? '', 50_000);
    await until('the credit note', async () => (await person.get('/me/billing/invoices')).text.includes('crn_'));
    await runJourney(browser, {
      name: `invoices ${theme}`,
      url: shop.url,
      email: person.email,
      display,
      steps: async (page) => {
        await openBilling(page);
        await page.getByRole('tab', { name: 'Invoices' }).click();
        await page.getByText('partly refunded').waitFor();
        await expectWithinWindow(page);
        await keepPicture(page, `billing-invoices-${theme}`);
        for (const [at, name] of (['invoice', 'credit-note'] as const).entries()) {
          const opened = page.context().waitForEvent('page');
          await page.getByRole('link', { name: 'Open the document' }).nth(at).click();
          const document = await opened;
          await document.getByText('Donaudampf').waitFor();
          await keepPicture(document, `${name}-${theme}`);
          await document.close();
        }
        const href = await page.getByRole('link', { name: 'PDF of' }).first().getAttribute('href');
        const pdf = await page.request.get(`${shop.url}${href}`);
        expect([pdf.status(), pdf.headers()['content-type']]).toEqual([200, 'application/pdf']);

        await page.getByRole('tab', { name: 'Details' }).click();
        await page.getByLabel('Tax number').fill('27ABCDE1234F1Z5');
        await page.getByRole('button', { name: 'Save the details' }).click();
        await page.getByText('The billing details are saved.').waitFor();
        await keepPicture(page, `billing-details-${theme}`);
        expect(await flawsOf(page)).toEqual([]);

        await page.getByRole('tab', { name: 'Plan and spend' }).click();
        await page.getByRole('button', { name: 'Change the card' }).click();
        await page.getByText('New card for Starter').waitFor();
        await payInSandbox(page);
        await page.getByText('The payment is confirmed.').waitFor();

        await shop.renew(checkout.subscriptionId, 'failed');
        await until('the unpaid renewal', async () => (await person.get('/me/billing')).text.includes('past_due'));
        await page.goto(`${shop.url}/projects`);
        await page.getByText('The renewal of the plan is not paid.').waitFor();
        await keepPicture(page, `past-due-${theme}`);
        expect(await flawsOf(page)).toEqual([]);
        await page.getByRole('link', { name: 'Pay with another card' }).click();
        await page.getByText('Renewal was due').waitFor();
        await keepPicture(page, `past-due-billing-${theme}`);
        await page.getByRole('button', { name: 'Change the card' }).click();
        await page.getByText(/2,242\.00/).waitFor();
        await payInSandbox(page);
        await page.getByText('The payment is confirmed.').waitFor();
        expect(await page.getByText('The renewal of the plan is not paid.').count()).toBe(0);
      },
    });
  });
});

/** Subscribes a person to Starter through the REST interface, and pays. @returns the id of the subscription */
async function subscribeToStarter(person: Person): Promise<string> {
  const subscribed = await person.post('/me/billing/subscribe', { plan: 'starter', billing_details: BUYER });
  const checkout = subscribed.body as { id: string; kind: string; subscriptionId: string; orderId: null };
  expect((await shop.pay(person, checkout)).status).toBe(200);
  return checkout.subscriptionId;
}

/** Opens the page of plan and billing of a person, at its desktop size. */
async function withBilling(person: Person, steps: (page: Page) => Promise<void>): Promise<void> {
  const { page, context, problems } = await openPage(browser, { theme: 'light' });
  await signIn(page, shop.url, person.email);
  await openBilling(page);
  await steps(page);
  expect(problems).toEqual([]);
  await context.close();
}

/** The value below a name in the credits of the page. */
const creditsNamed = (page: Page, name: string): Promise<string | null> =>
  page
    .locator('dt', { hasText: new RegExp(`^${name}$`) })
    .locator('xpath=following-sibling::dd')
    .textContent();

describe('what a plan gives and costs', () => {
  it('shows as left only the credits that are paid for, and beside them what may be used beyond, with its price', async () => {
    const person = await shop.people.signUp();
    await subscribeToStarter(person);
    await withBilling(person, async (page) => {
      const { body } = await person.get('/me/billing');
      const { credits } = body as { credits: { remaining: number; overageRoom: number } };
      const paidFor = credits.remaining - credits.overageRoom;
      expect(credits.overageRoom).toBeGreaterThan(0);
      expect(await creditsNamed(page, 'Credits left')).toBe(paidFor.toLocaleString('en'));
      expect(await creditsNamed(page, 'Beyond them, billed')).toMatch(
        new RegExp(`^up to ${credits.overageRoom.toLocaleString('en')} \\(INR`),
      );
    });
  });

  it('states in the review of a purchase that work continues beyond the credits, at which price and to which limit', async () => {
    const person = await shop.people.signUp();
    await subscribeToStarter(person);
    await withBilling(person, async (page) => {
      await page.getByRole('button', { name: 'Change to Growth' }).click();
      await page
        .getByRole('dialog')
        .getByText(/Beyond the included credits, work continues and costs INR.* for 1,000 credits, at most .* \(INR/)
        .waitFor();
    });
  });

  it('sells a plan again after a cancelled one has ended, and states before that from which day on', async () => {
    const person = await shop.people.signUp();
    // Paid more than a month ago: the period is over as soon as the clock is right again.
    await shop.moveClock(-MONTH_AND_HOUR_SECONDS);
    const subscriptionId = await subscribeToStarter(person);
    await withBilling(person, async (page) => {
      await page.getByRole('button', { name: 'Cancel the subscription' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel the subscription' }).click();
      await page
        .getByText(/^From .* you can subscribe again\.$/)
        .first()
        .waitFor();
      await shop.moveClock(0);
      await shop.renew(subscriptionId, 'paid');
      await until('the end of the plan', async () =>
        (await person.get('/me/billing')).text.includes('"subscription":null'),
      );
      await page.reload();
      await page.getByRole('button', { name: 'Subscribe to Starter' }).click();
      await page.getByRole('dialog').getByText('Due now, tax included').waitFor();
    });
  });

  it('calls a plan with a limit a downgrade where the present plan has none', async () => {
    const person = await shop.people.signUp();
    const { body } = await person.get('/auth/session');
    const { workspace } = body as { workspace: { id: string } };
    await person.get('/me/billing');
    await fleet.sql(
      `UPDATE billing.accounts SET plan = 'self_hosted', allowance = NULL, overage_room = NULL WHERE workspace_id = $1`,
      [workspace.id],
    );
    await withBilling(person, async (page) => {
      await page
        .getByText(/^Your present plan has no limit of credits\. Growth has .* a month: a downgrade\.$/)
        .waitFor();
    });
  });
});

describe('the page of the payment', () => {
  it('runs the script of the gateway under a policy of its own, and confirms what it returns', async () => {
    const person = await shop.people.signUp();
    await person.patch('/auth/workspace', { billing_details: BUYER });
    const { page, context, problems } = await openPage(browser, { theme: 'light' });
    // The order of the API without the page of the sandbox, as a real gateway returns it; and the script of that gateway, which pays at once.
    let result = new URLSearchParams();
    await page.route('**/v1/me/billing/credits/buy', async (route) => {
      const response = await route.fetch();
      const checkout = await response.json();
      result = await shop.complete(checkout);
      await route.fulfill({ response, json: { ...checkout, url: null } });
    });
    await page.route('https://checkout.razorpay.com/**', (route) =>
      route.fulfill({
        contentType: 'text/javascript',
        body: `window.Razorpay = class {
          constructor(options) { this.options = options; }
          open() {
            document.body.insertAdjacentHTML('beforeend', '<p style="color:red">Razorpay ' + this.options.amount + '</p>');
            this.options.handler(${JSON.stringify(Object.fromEntries(result))});
          }
        };`,
      }),
    );
    await signIn(page, shop.url, person.email);
    await openBilling(page);
    await page.getByRole('button', { name: 'Buy 10,000 credits' }).click();
    await page.getByRole('button', { name: 'Continue to payment' }).click();
    await page.getByText('The payment is confirmed.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/billing');
    await page.goto(`${shop.url}/billing/checkout`);
    await page.getByText('No payment is in progress').waitFor();
    await page.getByRole('link', { name: 'Projects' }).first().click();
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    await until('the strict policy', async () => {
      const policy = await page.evaluate(
        '(() => { try { document.createElement("div").innerHTML = "<i></i>"; return "loose"; } catch { return "strict"; } })()',
      );
      return policy === 'strict';
    });
    // The check of the strict policy is itself reported.
    expect(problems.filter((problem) => !problem.includes('TrustedHTML'))).toEqual([]);
    await context.close();
  });

  it('is not offered where nothing is sold: the navigation has no billing, and its URL leads to the usage', async () => {
    const person = await fleet.people.signUp();
    const { page, context, problems } = await openPage(browser, { theme: 'dark' });
    await signIn(page, fleet.url, person.email);
    await page.getByRole('link', { name: 'Usage' }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('link', { name: 'Plan and billing' }).count()).toBe(0);
    await page.goto(`${fleet.url}/billing`);
    await page.getByText('This installation sells no plans').waitFor();
    expect(await flawsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('of a plan without a limit shows that it has none, and no empty buckets of credits', async () => {
    const person = await shop.people.signUp();
    await person.get('/me/billing');
    const { body } = await person.get('/auth/session');
    const { workspace } = body as { workspace: { id: string } };
    await fleet.sql(
      `UPDATE billing.accounts SET plan = 'self_hosted', allowance = NULL, overage_room = NULL WHERE workspace_id = $1`,
      [workspace.id],
    );
    await person.post('/scrape', { url: `${site.origin}/` });
    await until('the charge', async () => (await person.get('/me/billing')).text.includes('"kind":"page"'));
    for (const display of [{ theme: 'dark' }, { theme: 'light', width: 390, height: 800 }] as const) {
      const { page, context, problems } = await openPage(browser, display);
      await signIn(page, shop.url, person.email);
      await openBilling(page);
      await page.getByText('The plan has no limit of credits.').waitFor();
      await page.getByText('Your present plan has no limit of credits. Growth has').waitFor();
      await page.getByRole('cell', { name: 'pages', exact: true }).first().waitFor();
      // A word is not broken into lines: as high as the header of its table.
      const kind = page.getByRole('cell', { name: 'pages', exact: true }).last().locator('span');
      expect((await kind.boundingBox())?.height).toBeLessThan(30);
      await keepPicture(page, `billing-no-limit-${display.theme}`);
      expect(await page.getByText(/left of the allowance|welcome credits|bought credits/).count()).toBe(0);
      expect(await flawsOf(page)).toEqual([]);
      for (const by of ['project', 'key', 'kind']) {
        await page.goto(`${shop.url}/usage?by=${by}`);
        await page.getByRole('table').waitFor();
        await keepPicture(page, `usage-${by}-${display.theme}`);
        await expectWithinWindow(page);
        expect(await flawsOf(page)).toEqual([]);
      }
      expect(problems).toEqual([]);
      await context.close();
    }
  });

  it('is one click away from a call that was refused for lack of credits or of a feature', async () => {
    const person = await shop.people.signUp();
    const { page, context } = await openPage(browser, { theme: 'dark' });
    await signIn(page, shop.url, person.email);
    const body = { error: 'no credits are left', code: 'credits_exhausted', request_id: 'req_1' };
    await page.route(/\/v1\/(?:logins|me\/keys)(?:\?|$)/, (route) =>
      route.fulfill({ status: 402, contentType: 'application/json', body: JSON.stringify(body) }),
    );
    await page.goto(`${shop.url}/logins`);
    const alert = page.getByRole('alert');
    await alert.getByText('No credits are left.').waitFor();
    expect(await flawsOf(page)).toEqual([]);
    await alert.getByRole('link', { name: 'Plan and billing' }).click();
    await page.getByRole('heading', { name: 'Credit packs' }).waitFor();
    await page.goto(`${shop.url}/keys`);
    await page.getByLabel('Name', { exact: true }).fill('reporting');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('listitem').filter({ hasText: 'No credits are left.' }).getByRole('link').click();
    await page.getByRole('heading', { name: 'Credit packs' }).waitFor();
    await context.close();
  });

  it('keeps the chosen country: Germany is DE on the invoice', async () => {
    const person = await shop.people.signUp();
    const { page, context, problems } = await openPage(browser, { theme: 'light' });
    await signIn(page, shop.url, person.email);
    await openBilling(page);
    await page.getByRole('tab', { name: 'Details' }).click();
    await page.getByLabel('Name of the person or company').fill('Hafen GmbH');
    await page.getByLabel('Address', { exact: true }).fill('Kai 1, 20457 Hamburg');
    await page.getByLabel('Country').selectOption('Germany');
    await page.getByRole('button', { name: 'Save the details' }).click();
    await page.getByText('The billing details are saved.').waitFor();
    const { body } = await person.get('/me/billing');
    expect(body).toMatchObject({ billingDetails: { country: 'DE' } });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('is for admins: a member reads the plan and has no button that pays', async () => {
    const owner = await shop.people.signUp();
    const invited = await owner.post('/auth/invites', { email: `member-${Date.now()}@example.com`, role: 'member' });
    const member = await shop.people.accept((invited.body as { link: string }).link);
    const { page, context, problems } = await openPage(browser, { theme: 'light' });
    await signIn(page, shop.url, member.email);
    await openBilling(page);
    await page.getByText('Your role can read this page.').waitFor();
    expect(await page.getByRole('button', { name: /Subscribe|Buy|Change/ }).count()).toBe(0);
    expect(await flawsOf(page)).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });
});
