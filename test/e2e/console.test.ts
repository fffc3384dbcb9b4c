import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { flawsOf, keepingScreenshot, launchChromium, openPage, signIn } from '../console/console-browser.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { type HarbourSite, startHarbour } from './harbour-site.ts';

/** Most bytes of scripts of the first view after gzip. */
const FIRST_VIEW_BYTES = 160 * 1_024;
const STYLE_BYTES = 15 * 1_024;

const fleet = sharedFleet();
let site: HarbourSite;
let browser: Browser;
beforeAll(async () => {
  [site, browser] = await Promise.all([startHarbour('127.0.0.5'), launchChromium()]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  site?.close();
  await fleet.close();
});

/** Returns the bytes of a file of the console after gzip. */
async function sizeOf(path: string): Promise<number> {
  const response = await fetch(new URL(path, fleet.url), { headers: { 'accept-encoding': 'gzip' } });
  await response.body?.cancel();
  expect([path, response.headers.get('content-encoding')]).toEqual([path, 'gzip']);
  return Number(response.headers.get('content-length'));
}

describe('the console', () => {
  it('lets a person sign in, watch a site, and see its first run end, without an error of the browser', async () => {
    const { email } = await fleet.people.signUp();
    const { page, context, problems } = await openPage(browser, { theme: 'light' });
    await keepingScreenshot(page, 'first site', async () => {
      await page.goto(`${fleet.url}/projects`);
      await page.waitForURL((address) => address.pathname === '/auth/login');
      await signIn(page, fleet.url, email);
      await page.getByRole('heading', { name: 'Watch your first site' }).waitFor();
      expect(await flawsOf(page)).toEqual([]);
      await page.getByLabel('Addresses').fill(`${site.origin}/`);
      await page.getByRole('button', { name: 'Watch' }).click();
      await page.getByRole('heading', { name: 'Watch a site' }).waitFor();
      await page.getByRole('button', { name: 'Watch' }).click();
      await page.getByRole('heading', { name: /^Run of/ }).waitFor();
      await page.getByText('finished').first().waitFor();
      // The log names the outcomes; one link of the site leads to nothing.
      await page.getByText(/4 ok, 1 blocked/).waitFor();
      await page.getByRole('link', { name: 'Overview' }).click();
      await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    });
    // A browser reports every answer with an error status; the session is read before the sign-in.
    expect(problems.filter((problem) => !problem.includes('status of 401'))).toEqual([]);
    await context.close();
  });

  it('loads at most 160 KB of scripts and 15 KB of styles for the first view', async () => {
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
