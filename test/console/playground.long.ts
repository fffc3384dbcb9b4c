import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type HarbourSite, startHarbour } from '../e2e/harbour-site.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { countedClicks, flawsOf, keepingScreenshot, launchChromium, openPage, signIn } from './console-browser.ts';

const fleet = sharedFleet();
let site: HarbourSite;
let browser: Browser;
beforeAll(async () => {
  [site, browser] = await Promise.all([startHarbour('127.0.0.6'), launchChromium()]);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  site?.close();
  await fleet.close();
});

describe.each(['light', 'dark'] as const)('the playground (%s)', (theme) => {
  it('captures a page with its evidence, and copies the code that repeats it in one click', async () => {
    const person = await fleet.people.signUp();
    const { page, context, problems } = await openPage(browser, { theme });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await keepingScreenshot(page, `playground ${theme}`, async () => {
      await signIn(page, fleet.url, person.email);
      await page.goto(`${fleet.url}/playground`);
      const clicks = await countedClicks(page);
      await page.getByRole('textbox', { name: 'URL' }).fill(`${site.origin}/prices`);
      await page.getByRole('button', { name: 'Try' }).click();
      await page.getByText('Steps that were tried').waitFor();
      await page.getByRole('tab', { name: 'Markdown' }).click();
      await page.getByText(`The fee is ${site.fee} crowns`).waitFor();
      expect(await clicks()).toBeLessThanOrEqual(2);
      // A screenshot is taken by a browser only; this page needs none.
      await page.getByRole('tab', { name: 'Screenshot' }).click();
      await page.getByRole('tabpanel').locator('img, p').first().waitFor();
      await page.getByRole('tab', { name: 'Code' }).click();
      await page.getByLabel('Language of the code').selectOption('TypeScript');
      await page.getByRole('button', { name: 'Copy the code' }).click();
      await page.getByText('Copied').waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toContain(`client.scrape("${site.origin}/prices"`);
      expect(await flawsOf(page)).toEqual([]);
    });
    expect(problems).toEqual([]);
    await context.close();
  });
});
