import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'puppeteer-core';
import { newEmail, PASSWORD } from '../harness/people.ts';
import { type AccountSite, startAccountSite } from './account-site.ts';
import { openBrowser, submit, type TestBrowser, textsOf, untilPath, untilText } from './browser.ts';

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

/** Gives a page an authenticator that verifies its user at once, such as a fingerprint reader. */
async function withAuthenticator(page: Page): Promise<void> {
  const devtools = await page.createCDPSession();
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,

      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

const press = (page: Page, text: string) => page.locator(`::-p-text(${text})`).click();

async function signUp(page: Page, email: string): Promise<void> {
  await page.goto(`${site.url}/auth/signup`);
  await submit(page, { name: 'Ann', email, password: PASSWORD });
  await untilPath(page, '/auth/account');
}

async function addPasskey(page: Page, name: string): Promise<void> {
  await untilText(page, 'Add a passkey');
  await press(page, 'Add a passkey');
  await submit(page, { 'new-passkey-name': name, 'new-passkey-password': PASSWORD }, '#new-passkey');
}

describe('a passkey in Chromium', () => {
  it('is added on the page of the account, signs in alone and after the password, and repeats the factor before it is removed', async () => {
    const { page, context, problems } = await chromium.open();
    await withAuthenticator(page);
    const email = newEmail();
    await signUp(page, email);

    await addPasskey(page, 'Laptop');
    await untilText(page, 'Recovery codes');
    expect(await textsOf(page, '.codes li')).toHaveLength(10);
    await press(page, 'I have kept them');
    await untilText(page, 'not used yet');

    await press(page, 'Sign out');
    await untilPath(page, '/auth/login');
    await press(page, 'Sign in with a passkey');
    await untilPath(page, '/auth/account');
    await untilText(page, 'Laptop');

    await press(page, 'Sign out');
    await untilPath(page, '/auth/login');
    await submit(page, { email, password: PASSWORD });
    await untilPath(page, '/auth/code');
    await press(page, 'Use a passkey');
    await untilPath(page, '/auth/account');

    await untilText(page, 'Laptop');
    expect(problems).toEqual([]);
    await site.sql("UPDATE identity.sessions SET code_shown_at = now() - interval '11 minutes'");
    // The cache of the gateway expires after 3 s.
    await page.waitForFunction(
      `fetch('/v1/auth/passkeys/options', { method: 'POST' }).then((response) => response.text()).then((text) => text.includes('mfa_stale'))`,
      { polling: 500 },
    );
    await press(page, 'Remove');
    await untilPath(page, '/auth/code');
    await press(page, 'Use a passkey');
    await untilPath(page, '/auth/account');
    await untilText(page, 'Laptop');
    await press(page, 'Remove');
    await untilText(page, 'A passkey signs in without a password');
    await context.close();
  });

  it('is refused by a page opened by an IP address, which names the address to open', async () => {
    const { page, context } = await chromium.open();
    await withAuthenticator(page);
    await page.goto(`${site.url.replace('localhost', '127.0.0.1')}/auth/login`);
    await press(page, 'Sign in with a passkey');
    await untilText(page, `open it by its name, on this machine ${site.url}`);
    await context.close();
  });

  it('that the person does not have opens no session, and the page states so', async () => {
    const { page, context } = await chromium.open();
    await withAuthenticator(page);
    await page.goto(`${site.url}/auth/login`);
    await press(page, 'Sign in with a passkey');
    await untilText(page, 'No passkey was used');
    await context.close();
  });
});
