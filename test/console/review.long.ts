import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type HarbourSite, startHarbour } from '../e2e/harbour-site.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import { keepingScreenshot, launchChromium, openPage, signIn } from './console-browser.ts';

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
      expect(await page.locator('del').allTextContents()).toEqual([String(site.fee - 1)]);
      expect(await page.locator('ins').allTextContents()).toEqual([String(site.fee)]);
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
});
