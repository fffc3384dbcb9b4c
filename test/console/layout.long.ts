import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { sharedFleet } from '../harness/fleet.ts';
import { launchChromium } from './console-browser.ts';
import { runJourney } from './journey.ts';
import { type WatchedSite, watchSite } from './watched-site.ts';

// What the layout of pages holds to on a desktop of 1440 × 900.
const fleet = sharedFleet();
const { url } = fleet;
let browser: Browser;
let watched: WatchedSite;
beforeAll(async () => {
  [browser, watched] = await Promise.all([launchChromium(), watchSite(fleet, { store_html: 'always' })]);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  watched?.site.close();
  await fleet.close();
});

const open = (name: string, path: string, steps: (page: Page) => Promise<void>) =>
  runJourney(browser, {
    name,
    url,
    email: watched.person.email,
    display: { theme: 'light', width: 1_440, height: 900 },
    steps: async (page) => {
      await page.goto(`${url}${path.replace('{project}', watched.project).replace('{run}', watched.ids['run'] ?? '')}`);
      await steps(page);
    },
  });
const widthOf = async (part: Locator): Promise<number> => (await part.boundingBox())?.width ?? 0;

describe('tags', () => {
  it('are settings of a project, shown in the list of projects, which they filter', async () => {
    const { person } = watched;
    const made = await person.post('/projects', { seed: `${watched.site.origin}/hidden`, name: 'Untagged' });
    expect(made.status).toBe(201);
    await open('tags', '/projects/{project}/settings', async (page) => {
      await page.getByRole('textbox', { name: 'Tags' }).fill('boats\nprices');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('1 setting saved.').waitFor();
      await page.goto(`${url}/projects`);
      await page.getByRole('cell', { name: 'boats, prices' }).waitFor();
      await page.getByRole('combobox', { name: 'Tag' }).selectOption('prices');
      await page.getByText('Untagged').waitFor({ state: 'detached' });
      await page.getByRole('cell', { name: 'boats, prices' }).waitFor();
    });
  });
});

describe('a page', () => {
  it('gives a table at least 1,100 px', () =>
    open('wide table', '/projects/{project}/pages', async (page) => {
      await page.getByText('Prices').first().waitFor();
      expect(await widthOf(page.getByRole('table').first())).toBeGreaterThan(1_100);
    }));

  it('keeps a field of a form narrower than 760 px', () =>
    open('field', '/projects/{project}/settings', async (page) => {
      const field = page.getByLabel('Start URL');
      await field.waitFor();
      expect(await widthOf(field)).toBeLessThan(760);
    }));

  it('names a run by its minute', () =>
    open('run title', '/projects/{project}/runs/{run}', async (page) => {
      await page.getByRole('heading', { level: 1, name: /^Run of \w{3} \d{1,2}, \d{4}, \d{1,2}:\d\d [AP]M/ }).waitFor();
    }));

  it('has at most one filled button', () =>
    open('filled buttons', '/projects/{project}/exports', async (page) => {
      await page.getByText('Download').first().waitFor();
      expect(await page.locator('#content .bg-accent:is(button, a)').count()).toBeLessThanOrEqual(1);
    }));

  it('has charts with an axis, the value of a bar, and days below', () =>
    open('chart', '/', async (page) => {
      const chart = page.getByRole('region', { name: 'Pages per day, last 30 days' });
      await chart.getByText('11', { exact: true }).first().waitFor();
      expect(await chart.getByText(/^(?:0|5|10|15)$/).count()).toBeGreaterThanOrEqual(3);
      expect(await chart.getByText(/^\w{3} \d{1,2}$/).count()).toBeGreaterThanOrEqual(4);
    }));
});
