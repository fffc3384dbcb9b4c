import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import { Clicks } from './clicks.ts';
import { launchChromium } from './console-browser.ts';
import { THEMES } from './displays.ts';
import { runJourney } from './journey.ts';
import { type WatchedSite, watchSite } from './watched-site.ts';

// The tasks whose clicks no other file of this folder counts; services/console/README.md lists all of them.
const fleet = sharedFleet();
const { url } = fleet;
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await fleet.close();
  console.log(['task: clicks, seconds', ...done].join('\n'));
});

/** Each finished task with its clicks and seconds, from the open page of the workspace or project. */
const done: string[] = [];

const navigationOf = (page: Page) => page.getByRole('navigation', { name: 'Project' });

describe.each(THEMES)('a task in the console (%s)', (theme, display) => {
  let watched: WatchedSite;
  beforeAll(async () => {
    watched = await watchSite(fleet, { max_depth: 4 });
  }, 120_000);
  afterAll(() => watched?.site.close());

  const run = (name: string, steps: (page: Page, clicks: Clicks) => Promise<void>) =>
    runJourney(browser, {
      name: `task ${name}`,
      url,
      email: watched.person.email,
      display,
      steps: async (page) => {
        const clicks = new Clicks();
        const start = performance.now();
        await steps(page, clicks);
        const seconds = (performance.now() - start) / 1_000;
        done.push(`${name} (${theme}): ${clicks.count}, ${seconds.toFixed(1)}`);
      },
    });

  const configOf = async (project: string): Promise<object> => {
    const { body } = await watched.person.get(`/projects/${project}`);
    return (body as { config: object }).config;
  };

  it('finds what needs attention without a click', () =>
    run('overview', async (page, clicks) => {
      await page.getByText('1 change to review').waitFor();
      expect(clicks.count).toBe(0);
    }));

  it('copies settings to chosen projects in two clicks', async () => {
    const made = await watched.person.post('/projects', { seed: 'https://example.com/', name: `Quay ${theme}` });
    const { id } = made.body as { id: string };
    await run('copy settings', async (page, clicks) => {
      await page.goto(`${url}/projects?q=`);
      await page.getByLabel(`Choose Quay ${theme}`).click();
      await clicks.on(page.getByRole('button', { name: 'Copy settings…' }));
      await page.getByLabel('Copy from').selectOption({ value: watched.project });
      await clicks.on(page.getByRole('button', { name: 'Copy to 1 project' }));
      await page.getByText('Settings copied: 1 project changed, 0 projects had them already.').waitFor();
      expect(clicks.count).toBe(2);
      expect(await configOf(id)).toMatchObject({ max_depth: 4 });
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('The settings are as before: 1 project.').waitFor();
      expect(await configOf(id)).not.toHaveProperty('max_depth');
    });
  });

  it('starts runs of chosen projects in one click, which can be taken back', async () => {
    const { site, person } = watched;
    site.gate = Promise.withResolvers<void>();
    const made = await person.post('/projects', { seed: `${site.origin}/slow`, name: `Mole ${theme}` });
    const { id } = made.body as { id: string };
    await run('runs of chosen projects', async (page, clicks) => {
      await page.goto(`${url}/projects?q=Mole`);
      await page.getByLabel(`Choose Mole ${theme}`).click();
      await clicks.on(page.getByRole('button', { name: 'Run the chosen' }));
      await page.getByText(`The run of Mole ${theme} has started.`).waitFor();
      expect(clicks.count).toBe(1);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('1 run cancelled.').waitFor();
    });
    site.gate.resolve();
    await until('the end of the cancelled run', async () => {
      const { body } = await person.get(`/projects/${id}/runs`);
      return (body as { data: { status: string }[] }).data.every(({ status }) => status === 'cancelled');
    });
  });

  it('opens a page in one click, and its history in one more', () =>
    run('page', async (page, clicks) => {
      await page.goto(`${url}/projects/${watched.project}/pages`);
      await clicks.on(page.getByRole('link', { name: /Prices/ }).first());
      await page.frameLocator('iframe[title="The stored text of the page"]').getByText('The fee is').waitFor();
      expect(clicks.count).toBe(1);
      await clicks.on(page.getByRole('tab', { name: 'History' }));
      await page.getByRole('list', { name: 'Readings' }).getByText('What changed').waitFor();
      expect(clicks.count).toBe(2);
    }));

  it('marks a change as reviewed by one key', () =>
    run('review', async (page, clicks) => {
      await page.goto(`${url}/projects/${watched.project}/changes`);
      await page.locator('ins').first().waitFor();
      await page.keyboard.press('e');
      await page.getByText('/prices is marked as reviewed.').waitFor();
      expect(clicks.count).toBe(0);
    }));

  it('reads chosen pages again in two clicks', () =>
    run('recrawl', async (page, clicks) => {
      await page.goto(`${url}/projects/${watched.project}/pages`);
      await clicks.on(page.getByLabel(/^Choose .*\/prices$/));
      await clicks.on(page.getByRole('button', { name: 'Read again' }));
      await page.getByText('The reading of 1 page has started.').waitFor();
      expect(clicks.count).toBe(2);
      await until('the end of the reading', async () => {
        const { body } = await watched.person.get(`/projects/${watched.project}/runs`);
        return (body as { data: { status: string }[] }).data.every(({ status }) => status === 'done');
      });
    }));

  it('starts a run in one click', () =>
    run('run', async (page, clicks) => {
      await page.goto(`${url}/projects/${watched.project}`);
      await navigationOf(page).waitFor();
      await clicks.on(page.getByRole('button', { name: 'Run now' }));
      await page.getByRole('heading', { name: /^Run of/ }).waitFor();
      expect(clicks.count).toBe(1);
      await page.getByText('finished').first().waitFor();
    }));
});
