import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { flawsOf, keepingScreenshot, launchChromium, openPage, signIn } from '../console/console-browser.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import { startReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

/** Most bytes of scripts of the first view after gzip. */
const FIRST_VIEW_BYTES = 132 * 1_024;
const STYLE_BYTES = 15 * 1_024;

const fleet = sharedFleet();
let site: HarbourSite;
let browser: Browser;
let receiver: WebhookReceiver;
beforeAll(async () => {
  [site, browser, receiver] = await Promise.all([
    startHarbour('127.0.0.5'),
    launchChromium(),
    startReceiver('127.0.0.6'),
  ]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  site?.close();
  receiver?.close();
  await fleet.close();
});

/** Returns the bytes of a file of the console after gzip. */
async function sizeOf(path: string): Promise<number> {
  const response = await fetch(new URL(path, fleet.url), { headers: { 'accept-encoding': 'gzip' } });
  await response.body?.cancel();
  expect([path, response.headers.get('content-encoding')]).toEqual([path, 'gzip']);
  return Number(response.headers.get('content-length'));
}

/** Sets the webhook of the open project in its settings. */
async function setWebhook(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('tab', { name: 'Notifications' }).click();
  await page.getByRole('textbox', { name: 'Webhook URL' }).fill(`${receiver.origin}/hook`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('1 setting saved.').waitFor();
}

/** Runs the open project after a page of its site has changed, and reviews the change by keyboard. */
async function reviewChange(page: Page): Promise<void> {
  site.fee += 1;
  await page.getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('heading', { name: /^Run of/ }).waitFor();
  await page.getByText('finished').first().waitFor();
  await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Changes' }).click();
  await page.getByRole('heading', { name: '1 change since the last run' }).waitFor();
  expect(await page.getByRole('region', { name: 'The chosen change' }).locator('ins').allTextContents()).toEqual([
    String(site.fee),
  ]);
  await page.keyboard.press('e');
  await page.getByText('/prices is marked as reviewed.').waitFor();
}

describe('the console', () => {
  it('leads from the sign-in to a watched site, a run, its changes, their review, an export and a webhook', async () => {
    const { email } = await fleet.people.signUp();
    const { page, context, problems } = await openPage(browser, { theme: 'light' });
    await keepingScreenshot(page, 'first site', async () => {
      await page.goto(`${fleet.url}/projects`);
      await page.waitForURL((address) => address.pathname === '/auth/login');
      await signIn(page, fleet.url, email);
      await page.getByRole('heading', { name: 'Which site do you want to watch?' }).waitFor();
      expect(await flawsOf(page)).toEqual([]);
      await page.getByLabel('URL of the site').fill(`${site.origin}/`);
      await page.getByRole('button', { name: 'Preview the site' }).click();
      await page.getByRole('heading', { name: 'Watch a site' }).waitFor();
      await page.getByText(/A run over .* costs .* at least/).waitFor();
      await page.getByRole('button', { name: 'Start the first run' }).click();
      await page.getByRole('heading', { name: /^Run of/ }).waitFor();
      await page.getByText('finished').first().waitFor();
      // The log names the outcomes; one link of the site leads to nothing.
      await page.getByText(/4 ok, 1 blocked/).waitFor();
      await setWebhook(page);
      await reviewChange(page);
      await page.getByRole('link', { name: 'Exports' }).click();
      const download = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Download changes' }).click();
      expect(readFileSync(await (await download).path(), 'utf8')).toContain(`"url":"${site.origin}/prices"`);
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
      await until('the webhook of the run', async () =>
        receiver.received.some(({ raw }) => raw.includes('"run.finished"')),
      );
    });
    // A browser reports every response with an error status; the session is read before the sign-in.
    expect(problems.filter((problem) => !problem.includes('status of 401'))).toEqual([]);
    await context.close();
  });

  it('loads at most 132 KB of scripts and 15 KB of styles for the first view of a new owner', async () => {
    const { email } = await fleet.people.signUp();
    const { page, context } = await openPage(browser, { theme: 'dark' });
    const loaded: string[] = [];
    await signIn(page, fleet.url, email);
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    await page.goto(`${fleet.url}/`, { waitUntil: 'load' });
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const total = async (suffix: string) => {
      const files = [...new Set(loaded)].filter((path) => path.endsWith(suffix));
      const sizes = await Promise.all(files.map(sizeOf));
      return sizes.reduce((sum, size) => sum + size, 0);
    };
    expect(await total('.js')).toBeGreaterThan(50_000);
    expect(await total('.js')).toBeLessThanOrEqual(FIRST_VIEW_BYTES);
    expect(await total('.css')).toBeLessThanOrEqual(STYLE_BYTES);
    await context.close();
  });
});
