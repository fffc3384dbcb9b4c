import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { sharedFleet } from '../harness/fleet.ts';
import { keepingScreenshot, launchChromium, openPage, signIn } from './console-browser.ts';
import { type WatchedSite, watchSite } from './watched-site.ts';

const fleet = sharedFleet();
let watched: WatchedSite;
let browser: Browser;
beforeAll(async () => {
  [watched, browser] = await Promise.all([watchSite(fleet), launchChromium()]);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  watched?.site.close();
  await fleet.close();
});

describe.each(['light', 'dark'] as const)('the search of every version (%s)', (theme) => {
  it('states since when a page contains the words, and when former ones were gone', async () => {
    const { page, context, problems } = await openPage(browser, { theme });
    await keepingScreenshot(page, `search versions ${theme}`, async () => {
      await signIn(page, fleet.url, watched.person.email);
      await page.goto(`${fleet.url}/projects/${watched.project}/pages`);
      const input = page.getByRole('textbox', { name: 'Search every version' });
      await input.fill('"crowns a night"');
      await page.keyboard.press('Enter');
      await page
        .getByText(/^Since .*, still there$/)
        .first()
        .waitFor();
      await input.fill('zebra');
      await page.keyboard.press('Enter');
      await page.getByText('No stored version contains these words').waitFor();
      await page.getByRole('button', { name: 'End the search' }).click();
      await page.getByText('No stored version contains these words').waitFor({ state: 'hidden' });
    });
    expect(problems).toEqual([]);
    await context.close();
  });
});
