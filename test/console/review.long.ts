import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type HarbourSite, startHarbour } from '../e2e/harbour-site.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import { flawsOf, keepingScreenshot, launchChromium, openPage, signIn } from './console-browser.ts';
import { runProject } from './watched-site.ts';

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

/** The pane of the chosen change. */
const chosenIn = (page: Page) => page.getByRole('region', { name: 'The chosen change' });

describe('the review of changes', () => {
  it('marks a change by one key, takes the mark back, and shows the changes that are left', async () => {
    const person = await fleet.people.signUp();
    const made = await person.post('/projects', { seed: `${site.origin}/` });
    const { id } = made.body as { id: string };
    const run = async () => {
      const started = await person.post(`/projects/${id}/runs`, {});
      const { id: runId } = started.body as { id: string };
      await until('the record of the run', async () => {
        const { body } = await person.get(`/projects/${id}/changes`);
        const { runId: recorded, status } = body as { runId: string | null; status: string | null };
        return recorded === runId && status === 'made';
      });
    };
    await run();
    site.fee += 1;
    await run();
    const { page, context, problems } = await openPage(browser, { theme: 'light' });
    await keepingScreenshot(page, 'review', async () => {
      await signIn(page, fleet.url, person.email);
      await page.getByRole('link', { name: /1 change to review/ }).click();
      await page.getByRole('heading', { name: '1 change since the last run' }).waitFor();
      expect(await chosenIn(page).locator('del').allTextContents()).toEqual([String(site.fee - 1)]);
      expect(await chosenIn(page).locator('ins').allTextContents()).toEqual([String(site.fee)]);
      await page.keyboard.press('e');
      await page.getByText('/prices is marked as reviewed.').waitFor();
      await page.getByRole('img', { name: 'reviewed' }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('img', { name: 'reviewed' }).waitFor({ state: 'detached' });
      await until('the mark to be removed', async () => {
        const { body } = await person.get(`/projects/${id}/changes`);
        return (body as { entries: { reviewed: boolean }[] }).entries.every(({ reviewed }) => !reviewed);
      });
      await page.keyboard.press('Shift+E');
      await page.getByText('1 change marked as reviewed.').waitFor();
      await page.getByLabel('Only changes to review').check();
      await page.getByText('Every change is reviewed').waitFor();
    });
    expect(problems.filter((problem) => !problem.includes('status of 401'))).toEqual([]);
    await context.close();
  });

  it('shows what several runs changed since the last review once, and the screenshots of both readings', async () => {
    const person = await fleet.people.signUp();
    const config = { screenshot: 'viewport', render_js: 'always', max_pages: 2, use_sitemap: false };
    const made = await person.post('/projects', { seed: `${site.origin}/prices`, config });
    const { id } = made.body as { id: string };
    const reviewed = site.fee;
    for (let run = 0; run < 3; run += 1) {
      site.fee = reviewed + run;
      await runProject(person, id);
    }
    const { page, context, problems } = await openPage(browser, { theme: 'dark' });
    await keepingScreenshot(page, 'since the review', async () => {
      await signIn(page, fleet.url, person.email);
      await page.goto(`${fleet.url}/projects/${id}/changes`);
      await page.getByRole('heading', { name: '1 change since the last run' }).waitFor();
      expect(await chosenIn(page).locator('del').allTextContents()).toEqual([String(reviewed + 1)]);
      const bars = page.getByRole('region', { name: 'Changes per run, oldest first, table' }).getByRole('link');
      expect(await bars.count()).toBe(3);
      await page.getByLabel('Changes since').selectOption('Since the last review');
      await page.getByRole('heading', { name: '1 changed page since the last review' }).waitFor();
      await page.getByText('changed in 2 runs').waitFor();
      await chosenIn(page).locator('ins').waitFor();
      expect(await chosenIn(page).locator('del').allTextContents()).toEqual([String(reviewed)]);
      expect(await chosenIn(page).locator('ins').allTextContents()).toEqual([String(reviewed + 2)]);
      await page.getByRole('tab', { name: 'Screenshots' }).click();
      const slider = page.getByRole('slider', { name: 'Share of the earlier screenshot' });
      await slider.focus();
      await page.keyboard.press('End');
      expect(await page.getByRole('img', { name: 'Before' }).getAttribute('style')).toContain(
        'inset(0px 100% 0px 0px)',
      );
      await page.getByLabel('Mark the differences').check();
      await page.getByRole('img', { name: 'differences marked' }).waitFor();
      expect(await flawsOf(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { level: 1 }).click();
      await page.keyboard.press('e');
      await page.getByText('/prices is marked as reviewed.').waitFor();
      await until('the review of both records', async () => {
        const { body } = await person.get(`/projects/${id}/changes?unreviewed=true`);
        return (body as { entries: unknown[] }).entries.length === 0;
      });
      await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Runs' }).click();
      await bars.nth(1).click();
      await page.getByRole('heading', { name: /^1 change in the run of/ }).waitFor();
      await page.getByRole('img', { name: 'reviewed' }).waitFor();
    });
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('the ignored blocks of a record', () => {
  it('are opened from the record, show both texts and why, and are overruled and ignored again by keyboard', async () => {
    const person = await fleet.people.signUp();
    const config = { volatile_selectors: ['.related'] };
    const made = await person.post('/projects', { seed: `${site.origin}/`, config });
    const { id } = made.body as { id: string };
    await runProject(person, id);
    const [fee, boats] = [site.fee, site.boats];
    Object.assign(site, { fee: fee + 1, boats: 'three of them new' });
    await runProject(person, id);
    const { page, context, problems } = await openPage(browser, { theme: 'dark' });
    const decisions = async () => {
      const { body } = await person.get(`/projects/${id}`);
      const { config } = body as { config: { volatile_overrides?: { ignore: boolean }[] } };
      return config.volatile_overrides?.map(({ ignore }) => ignore) ?? [];
    };
    await keepingScreenshot(page, 'ignored', async () => {
      await signIn(page, fleet.url, person.email);
      await page.goto(`${fleet.url}/projects/${id}/changes`);
      await page.getByRole('link', { name: /^\d+ blocks ignored$/ }).click();
      const list = page.getByRole('list', { name: 'Ignored blocks' });
      const first = list.getByRole('listitem').first();
      await first.getByText('A selector of the setting').waitFor();
      expect(await first.locator('del').textContent()).toContain(boats);
      expect(await first.locator('ins').textContent()).toContain('three of them new');
      await first.getByRole('button', { name: 'This was a change' }).focus();
      await page.keyboard.press('Enter');
      await first.getByText('Reported from the next run on').waitFor();
      await until('the decision to be saved', async () => (await decisions()).includes(false));
      await first.getByRole('button', { name: 'Ignore' }).press('Enter');
      await first.getByText('Always ignored').waitFor();
      expect(await decisions()).toEqual([true]);
      await page.getByRole('link', { name: 'Back to the changes' }).click();
      await page.getByRole('button', { name: 'Mark reviewed' }).waitFor();
    });
    expect(problems.filter((problem) => !problem.includes('status of 401'))).toEqual([]);
    await context.close();
    Object.assign(site, { fee, boats });
  });
});
