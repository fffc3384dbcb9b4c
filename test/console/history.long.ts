import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { sharedFleet } from '../harness/fleet.ts';
import { launchChromium } from './console-browser.ts';
import { THEMES } from './displays.ts';
import { keepPicture, runJourney } from './journey.ts';
import { runProject, type WatchedSite, watchSite } from './watched-site.ts';

const fleet = sharedFleet();
let browser: Browser;
let watched: WatchedSite;
/** The fee of the page of prices in each version, oldest first. The second one is read twice. */
let fees: number[];
beforeAll(async () => {
  [browser, watched] = await Promise.all([launchChromium(), watchSite(fleet)]);
  const { site, person, project } = watched;
  fees = [site.fee - 1, site.fee, site.fee + 1];
  await runProject(person, project);
  site.fee += 1;
  await runProject(person, project);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  watched?.site.close();
  await fleet.close();
});

const DISPLAYS = [...THEMES, ['phone', { theme: 'light', width: 390, height: 844 }]] as const;

async function open(page: Page, more: string): Promise<void> {
  const { project, site } = watched;
  await page.goto(`${fleet.url}/projects/${project}/page?url=${encodeURIComponent(`${site.origin}/prices`)}${more}`);
}

describe.each(DISPLAYS)('the history of a page (%s)', (theme, display) => {
  const run = (name: string, steps: (page: Page) => Promise<void>) =>
    runJourney(browser, { name: `${name} ${theme}`, url: fleet.url, email: watched.person.email, display, steps });

  it('lists the versions of its text, and compares any two of them', () =>
    run('versions', async (page) => {
      await open(page, '&tab=history');
      const later = page.getByRole('radio', { name: /as the later one$/ });
      const earlier = page.getByRole('radio', { name: /as the earlier one$/ });
      await later.first().waitFor();
      expect([await later.count(), await earlier.count()]).toEqual([3, 3]);
      const comparison = page.getByRole('region', { name: 'Comparison of the two versions' });
      await page.getByText(/^until .*, 2 readings$/).waitFor();
      await comparison.locator('del', { hasText: String(fees[1]) }).waitFor();
      await comparison.locator('ins', { hasText: String(fees[2]) }).waitFor();
      await earlier.nth(2).check();
      await comparison.locator('del', { hasText: String(fees[0]) }).waitFor();
      await comparison.locator('ins', { hasText: String(fees[2]) }).waitFor();
      await keepPicture(page, `history-versions-${theme}`);
    }));

  it('states for each block since when the page has it', () =>
    run('blame', async (page) => {
      await open(page, '');
      await page.getByRole('button', { name: 'Since when' }).click();
      const fee = page.getByRole('listitem').filter({ hasText: 'crowns a night' });
      await fee.getByText(/^edited /).waitFor();
      await fee.getByText(/, 2 edits$/).waitFor();
      await page
        .getByRole('listitem')
        .filter({ hasText: 'the tide came in' })
        .getByText(/^since /)
        .waitFor();
      await keepPicture(page, `history-blame-${theme}`);
    }));
});

describe('the versions of a page', () => {
  it('are chosen by arrow keys', () =>
    runJourney(browser, {
      name: 'versions by keyboard',
      url: fleet.url,
      email: watched.person.email,
      display: { theme: 'light' },
      steps: async (page) => {
        await open(page, '&tab=history');
        const later = page.getByRole('radio', { name: /as the later one$/ });
        await later.first().focus();
        await page.keyboard.press('ArrowDown');
        expect(await later.nth(1).isChecked()).toBe(true);
      },
    }));
});
