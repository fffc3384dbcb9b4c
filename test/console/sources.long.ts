import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type HarbourSite, startHarbour } from '../e2e/harbour-site.ts';
import { sharedFleet } from '../harness/fleet.ts';
import type { Person } from '../harness/people.ts';
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

/** Creates a project and reads its site once. @returns the id */
async function readProject(person: Person): Promise<string> {
  const made = await person.post('/projects', { seed: `${site.origin}/`, name: 'Harbour' });
  const { id } = made.body as { id: string };
  const started = await person.post(`/projects/${id}/runs`, {});
  const { id: run } = started.body as { id: string };
  await until('the end of the run', async () => {
    const { body } = await person.get(`/projects/${id}/runs/${run}`);
    return (body as { status: string }).status === 'done';
  });
  return id;
}

describe.each(THEMES)('the sources of a project (%s)', (_theme, display) => {
  it('show the effect of a pattern as it is typed without a fetch, save it, and take it back', async () => {
    const person = await fleet.people.signUp();
    const id = await readProject(person);
    const reads = site.reads('/prices');
    await runJourney(browser, {
      name: 'sources',
      url,
      email: person.email,
      display,
      steps: async (page) => {
        await page.goto(`${url}/projects/${id}`);
        const clicks = new Clicks();
        await clicks.on(page.getByRole('link', { name: 'Sources' }));
        await page.getByRole('cell', { name: 'sitemaps' }).waitFor();
        await page.getByLabel('Exclude paths').fill('/prices');
        await page.getByText('Dropped: /prices').waitFor();
        await page.getByRole('cell', { name: '/prices' }).first().waitFor();
        expect(clicks.count).toBe(1);
        await clicks.on(page.getByRole('button', { name: 'Save the scope' }));
        await page.getByText('The scope is saved.').waitFor();
        expect(clicks.count).toBe(2);
        expect(site.reads('/prices')).toBe(reads);
        const saved = await person.get(`/projects/${id}`);
        expect((saved.body as { config: object }).config).toMatchObject({ exclude_paths: ['/prices'] });
        await page.getByRole('button', { name: 'Undo' }).click();
        await until('the saved scope to return', async () => {
          const { body } = await person.get(`/projects/${id}`);
          return !('exclude_paths' in (body as { config: object }).config);
        });
        await page.getByRole('button', { name: 'Check feeds and list' }).click();
        await page.getByText('0 of 0 URLs usable').waitFor();
        await page.getByRole('tab', { name: 'Sitemap tree' }).click();
        await page.getByText('No snapshot of the sitemap tree yet').waitFor();
        await page.getByRole('button', { name: 'Take a snapshot' }).click();
        await page.getByText('This is the first snapshot.').waitFor();
        await page.getByRole('button', { name: /^.sitemap.xml/ }).click();
        await page.getByRole('heading', { name: 'URLs of /sitemap.xml' }).waitFor();
        await page.getByRole('link', { name: '/hidden' }).waitFor();
        await page.getByLabel('Part of the URL').fill('prices');
        await page.getByRole('link', { name: '/hidden' }).waitFor({ state: 'detached' });
        expect(new URL(page.url()).searchParams.get('q')).toBe('prices');
      },
    });
  });

  it('list broken links with the page that has them in one click, and orphans, and save them as a file in one click', async () => {
    const person = await fleet.people.signUp();
    const id = await readProject(person);
    await runJourney(browser, {
      name: 'links',
      url,
      email: person.email,
      display,
      steps: async (page) => {
        await page.goto(`${url}/projects/${id}`);
        const clicks = new Clicks();
        await clicks.on(page.getByRole('link', { name: 'Link findings' }));
        await page.getByRole('link', { name: '/gone' }).waitFor();
        await page.getByRole('cell', { name: '404' }).waitFor();
        expect(clicks.count).toBe(1);
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          clicks.on(page.getByRole('button', { name: 'Download as CSV' })),
        ]);
        expect(file.suggestedFilename()).toBe('link-findings.csv');
        expect(clicks.count).toBe(2);
        await page.getByRole('tab', { name: 'Orphans' }).click();
        await page.getByRole('link', { name: '/hidden' }).waitFor();
        await page.getByRole('tab', { name: 'Not in the sitemap' }).click();
        await page.getByRole('link', { name: '/marees' }).waitFor();
      },
    });
  });
});
