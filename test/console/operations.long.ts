import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type HarbourSite, startHarbour } from '../e2e/harbour-site.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import { Clicks } from './clicks.ts';
import { launchChromium } from './console-browser.ts';
import { THEMES } from './displays.ts';
import { runJourney } from './journey.ts';

const fleet = sharedFleet();
const { url } = fleet;
let browser: Browser;
let site: HarbourSite;
beforeAll(async () => {
  [browser, site] = await Promise.all([launchChromium(), startHarbour('127.0.0.5')]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  site?.close();
  await fleet.close();
});

describe.each(THEMES)('the pages of operation (%s)', (_theme, display) => {
  it('show what a scrape used by project, kind and person, and the queues, each in one click', async () => {
    const person = await fleet.people.signUp();
    await person.post('/scrape', { url: `${site.origin}/` });
    await until('the charge', async () => {
      const { body } = await person.get('/me/usage');
      return (body as { month: { credits: number } }).month.credits > 0;
    });
    await runJourney(browser, {
      name: 'usage',
      url,
      email: person.email,
      display,
      steps: async (page) => {
        await page.getByRole('link', { name: 'Monitor' }).click();
        await page.getByText('Nothing is running').waitFor();
        await page.getByRole('cell', { name: 'interactive' }).first().waitFor();
        await page.getByRole('link', { name: 'Exits' }).click();
        await page.getByText('Ways through which pages are fetched').waitFor();
        const clicks = new Clicks();
        await clicks.on(page.getByRole('link', { name: 'Usage' }));
        await page.getByRole('cell', { name: 'without a project' }).waitFor();
        expect(clicks.count).toBe(1);
        await page.getByRole('tab', { name: 'Project' }).press('ArrowRight');
        await page.getByRole('cell', { name: 'Ann' }).waitFor();
        expect(new URL(page.url()).search).toBe('?by=key');
        await page.getByRole('tab', { name: 'Kind' }).click();
        await page.getByRole('cell', { name: 'pages', exact: true }).waitFor();
      },
    });
  });

  it('save a login, test it and delete it after a confirmation', async () => {
    const person = await fleet.people.signUp();
    await runJourney(browser, {
      name: 'logins',
      url,
      email: person.email,
      display,
      steps: async (page) => {
        const clicks = new Clicks();
        await clicks.on(page.getByRole('link', { name: 'Saved logins' }));
        await page.getByText('No saved login yet').waitFor();
        await page.getByLabel('Site', { exact: true }).fill(site.origin);
        await page.getByLabel('Cookies').fill(JSON.stringify([{ name: 'session', value: 'abc', path: '/' }]));
        await clicks.on(page.getByLabel('The session is mine'));
        await clicks.on(page.getByRole('button', { name: 'Save the login' }));
        await page.getByText(/^The login for .* is saved\.$/).waitFor();
        expect(clicks.count).toBe(3);
        await page.getByRole('button', { name: /^Test the login for/ }).click();
        await page.getByText(/^Test: /).waitFor();
        await page.getByRole('button', { name: /^Delete the login for/ }).click();
        await page.getByRole('button', { name: 'Delete', exact: true }).click();
        await page.getByText(/^The login for .* is deleted\.$/).waitFor();
        await page.getByText('No saved login yet').waitFor();
      },
    });
  });

  it('create a sub-account with a cap, suspend it and take it back, and make a key that reaches only it', async () => {
    const person = await fleet.people.signUp();
    await runJourney(browser, {
      name: 'sub-accounts',
      url,
      email: person.email,
      display,
      steps: async (page) => {
        const clicks = new Clicks();
        await clicks.on(page.getByRole('link', { name: 'Sub-accounts' }));
        await page.getByText('No sub-account yet').waitFor();
        await page.getByLabel('Name', { exact: true }).fill('Harbour Ltd مرفأ');
        await page.getByLabel('Credits a month at most').fill('5000');
        await clicks.on(page.getByRole('button', { name: 'Create', exact: true }));
        await page.getByRole('link', { name: /Harbour Ltd/ }).waitFor();
        expect(clicks.count).toBe(2);
        await page.getByRole('button', { name: /^Suspend Harbour/ }).click();
        await page.getByText('suspended', { exact: true }).waitFor();
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.getByText('active', { exact: true }).waitFor();
        await page.getByRole('link', { name: /Harbour Ltd/ }).click();
        await page.getByRole('heading', { level: 1, name: /Harbour Ltd/ }).waitFor();
        await page.getByLabel('Credits a month at most').fill('9000');
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByText('The name and the cap are saved.').waitFor();
        await page.getByLabel('Name', { exact: true }).last().fill('harbour');
        await page.getByRole('button', { name: 'Create the key' }).click();
        await page.getByText('The key harbour is created').waitFor();
        const secret = String(await page.locator('code').first().textContent());
        const me = await fleet.api(secret).get('/me');
        expect((me.body as { name: string }).name).toBe('Harbour Ltd مرفأ');
      },
    });
  });
});
