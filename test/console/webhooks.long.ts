import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { sharedFleet } from '../harness/fleet.ts';
import { startReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { Clicks } from './clicks.ts';
import { launchChromium } from './console-browser.ts';
import { THEMES } from './displays.ts';
import { runJourney } from './journey.ts';

const fleet = sharedFleet();
const { url } = fleet;
let browser: Browser;
let receiver: WebhookReceiver;
beforeAll(async () => {
  [browser, receiver] = await Promise.all([launchChromium(), startReceiver('127.0.0.6')]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  receiver?.close();
  await fleet.close();
});

describe.each(THEMES)('the deliveries of a project (%s)', (_theme, display) => {
  it('take a URL, send a test in one click, open its attempts in one click, and send it again in one click', async () => {
    const person = await fleet.people.signUp();
    const made = await person.post('/projects', { seed: 'https://example.com/', name: 'Harbour' });
    const { id } = made.body as { id: string };
    const before = receiver.received.length;
    await runJourney(browser, {
      name: 'deliveries',
      url,
      email: person.email,
      display,
      steps: async (page) => {
        await page.goto(`${url}/projects/${id}`);
        await page.getByRole('link', { name: 'Deliveries' }).click();
        await page.getByLabel('URL').fill(`${receiver.origin}/hook`);
        await page.getByRole('button', { name: 'Save the URL' }).click();
        await page.getByText('No delivery', { exact: true }).waitFor();
        const clicks = new Clicks();
        await clicks.on(page.getByRole('button', { name: 'Send a test' }));
        await page.getByText('The test was delivered: 204.').waitFor();
        expect(clicks.count).toBe(1);
        expect(receiver.received).toHaveLength(before + 1);
        await page.getByRole('button', { name: /^run.finished/ }).click();
        await page.getByText('Attempt 1').waitFor();
        expect(new URL(page.url()).searchParams.get('delivery')).toMatch(/^whd_/);
        await page.getByRole('button', { name: 'Close' }).first().click();
        await page.getByRole('button', { name: 'Send run.finished again' }).click();
        await page.getByText('It is sent again').waitFor();
        await page.getByRole('cell', { name: '2', exact: true }).waitFor();
        expect(receiver.received).toHaveLength(before + 2);
        await page.getByRole('button', { name: 'Show' }).click();
        await page
          .getByText(/^whsec_|^[\w+/=-]{20,}$/)
          .first()
          .waitFor();
        await page.getByRole('link', { name: 'Overview' }).first().click();
        await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
        await page.getByRole('button', { name: 'Send a test to the webhook of Harbour' }).click();
        await page.getByText('The test was delivered: 204.').last().waitFor();
        await page.getByLabel('Status').selectOption('failed');
        await page.getByText('No delivery has this status.').waitFor();
        await page.getByLabel('Status').selectOption('');
        await page
          .getByRole('button', { name: /^run.finished/ })
          .first()
          .click();
        await page.getByText('Attempt 1').waitFor();
      },
    });
  });
});
