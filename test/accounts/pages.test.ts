import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'puppeteer-core';
import { newEmail, PASSWORD } from '../harness/people.ts';
import { layoutOf, violationsOf } from './accessibility.ts';
import { type AccountSite, startAccountSite } from './account-site.ts';
import { openBrowser, submit, type TestBrowser, textsOf, untilPath, untilText } from './browser.ts';

const DISPLAYS = [
  ['desktop, light', { width: 1280, height: 800, dark: false }],
  ['phone, dark', { width: 375, height: 740, dark: true }],
] as const;
const TOKEN = 'A'.repeat(43);

let site: AccountSite;
let chromium: TestBrowser;
beforeAll(async () => {
  site = await startAccountSite();
  chromium = await openBrowser();
}, 120_000);
afterAll(async () => {
  await chromium?.close();
  await site?.close();
});

/** Checks a page as it is shown now. */
async function check(page: Page, name: string): Promise<void> {
  // A transition of colours would be measured half way.
  await page.waitForFunction('document.getAnimations().length === 0');
  expect([name, await violationsOf(page)]).toEqual([name, []]);
  expect([name, await layoutOf(page)]).toEqual([name, { unlabelled: [], isTooWide: false }]);
}

const focusOf = async (page: Page) =>
  String(await page.evaluate('document.activeElement.id || document.activeElement.textContent'));

/** Moves the focus by the tab key to an element with this id or text. */
async function tabTo(page: Page, target: string): Promise<void> {
  for (let step = 0; step < 30 && (await focusOf(page)) !== target; step += 1) await page.keyboard.press('Tab');
  expect(await focusOf(page)).toBe(target);
}

describe.each(DISPLAYS)('the pages of accounts (%s)', (_, display) => {
  it('have labels, sufficient contrast and no error in the console', async () => {
    const { page, context, problems } = await chromium.open(display);
    for (const name of ['login', 'signup', 'setup', 'verify', 'forgot', 'reset']) {
      await page.goto(`${site.url}/auth/${name}${['setup', 'verify', 'reset'].includes(name) ? `#${TOKEN}` : ''}`);
      await check(page, name);
    }
    expect(problems).toEqual([]);
    await context.close();
  });

  it('show what is wrong in a sentence, and stay accessible', async () => {
    const { page, context } = await chromium.open(display);
    await page.goto(`${site.url}/auth/login`);
    await submit(page, { email: 'ann@example.com', password: 'wrong' });
    await untilText(page, 'The address or the password is wrong.');
    await check(page, 'wrong password');
    await page.goto(`${site.url}/auth/invite#${TOKEN}`);
    await untilText(page, 'This invitation is invalid');
    await check(page, 'invalid invitation');
    await page.goto(`${site.url}/auth/nothing`);
    await untilText(page, 'Page not found');
    await check(page, 'missing page');
    await context.close();
  });

  it('of a signed-in person have labels, sufficient contrast and no error in the console', async () => {
    const { page, context, problems } = await chromium.open(display);
    await page.goto(`${site.url}/auth/signup`);
    await submit(page, { name: 'Ann', email: newEmail(), password: PASSWORD });
    await untilPath(page, '/auth/account');
    await untilText(page, 'Add a passkey');
    await check(page, 'account');
    for (const summary of ['Add a passkey', 'Set up an authenticator app'])
      await page.locator(`::-p-text(${summary})`).click();
    await submit(page, { 'start-app-password': PASSWORD }, '#start-app');
    await untilText(page, 'Scan the picture');
    await check(page, 'new app');
    await page.goto(`${site.url}/auth/code`);
    await check(page, 'code');
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('the pages of accounts', () => {
  it('are used with the keyboard alone, from the sign-up to the sign-out and the sign-in', async () => {
    const { page, context, problems } = await chromium.open();
    const email = newEmail();
    await page.goto(`${site.url}/auth/signup`);
    for (const [field, value] of [
      ['name', 'Ann'],
      ['email', email],
      ['password', PASSWORD],
    ] as const) {
      await tabTo(page, field);
      await page.keyboard.type(value);
    }
    await tabTo(page, 'Create the account');
    await page.keyboard.press('Enter');
    await untilPath(page, '/auth/account');
    await untilText(page, 'Sign out');
    await tabTo(page, 'Add a passkey');
    await page.keyboard.press('Enter');
    await tabTo(page, 'new-passkey-password');
    await tabTo(page, 'Sign out');
    await page.keyboard.press('Space');
    await untilPath(page, '/auth/login');
    await tabTo(page, 'email');
    await page.keyboard.type(email);
    await tabTo(page, 'password');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await untilPath(page, '/auth/account');
    expect(problems).toEqual([]);
    await context.close();
  });

  it('return to an invitation after the sign-in that it requires, and never put its token into an address that is sent', async () => {
    const { page, context } = await chromium.open();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    const owner = await site.people.signUp();
    const person = await site.people.signUp();
    const { body } = await owner.post('/auth/invites', { email: person.email, role: 'member' });
    const { link } = body as { link: string };
    await page.goto(link);
    await untilText(page, 'You are invited to the workspace Ann’s workspace with the role member');
    await page.locator('::-p-text(Sign in)').click();
    await untilPath(page, '/auth/login');
    await submit(page, { email: person.email, password: PASSWORD });
    await untilPath(page, '/auth/invite');
    await untilText(page, 'You are invited to the workspace Ann’s workspace with the role member');
    await page.locator('#form button[type=submit]').click();
    await untilPath(page, '/auth/account');
    await untilText(page, '(member)');
    const [, token = ''] = link.split('#');
    const addresses = sent
      .map((url) => new URL(url))
      .filter(({ pathname }) => !pathname.startsWith('/v1/auth/invites/'));
    expect(addresses.filter(({ pathname, search }) => `${pathname}${search}`.includes(token))).toEqual([]);
    await context.close();
  });

  it('run no script that a person puts into a name', async () => {
    const { page, context, problems } = await chromium.open();
    const name = '<img src=x onerror=alert(1)>';
    await page.goto(`${site.url}/auth/signup`);
    await submit(page, { name, email: newEmail(), password: PASSWORD });
    await untilPath(page, '/auth/account');
    await untilText(page, name);
    expect(await textsOf(page, '#intro')).toEqual([expect.stringContaining(name)]);
    expect(problems).toEqual([]);
    await context.close();
  });
});
