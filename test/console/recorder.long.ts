import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { sharedFleet } from '../harness/fleet.ts';
import { flawsOf, keepingScreenshot, launchChromium, openPage, signIn } from './console-browser.ts';
import { keepPicture } from './journey.ts';
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

const actions = async (): Promise<unknown> => {
  const { body } = await watched.person.get(`/projects/${watched.project}`);
  return (body as { config: Record<string, unknown> }).config['actions'];
};

/** Opens the live page from the settings, and waits for its first picture. */
async function startRecording(page: Page): Promise<void> {
  await page.goto(`${fleet.url}/projects/${watched.project}/settings?section=fetch`);
  await page.getByRole('link', { name: 'Record on the page' }).click();
  await page.getByRole('button', { name: 'Open the page' }).click();
  await page.getByRole('application', { name: 'Live page' }).locator('img').waitFor({ timeout: 60_000 });
}

describe.each(['light', 'dark'] as const)('the recorder (%s)', (theme) => {
  it('records clicks on the live page, plays them, and puts them into the settings', async () => {
    const { page, context, problems } = await openPage(browser, { theme });
    await keepingScreenshot(page, `recorder ${theme}`, async () => {
      await signIn(page, fleet.url, watched.person.email);
      await startRecording(page);
      await page.getByLabel('Operate an element by its selector').fill('h1');
      await page.getByRole('button', { name: 'Click it' }).click();
      await page.getByText('Recorded.').waitFor();
      expect(await page.getByRole('textbox', { name: 'Selector', exact: true }).first().inputValue()).toBe('h1');
      await page.getByRole('application', { name: 'Live page' }).focus();
      await page.keyboard.type('x');
      await page.getByRole('button', { name: 'Remove step 2' }).click();
      expect(await flawsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Play the steps' }).click();
      await page.getByText('done').waitFor({ timeout: 60_000 });
      await keepPicture(page, `recorder-${theme}`);
      await page.getByRole('button', { name: 'Use these steps' }).click();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' });
      expect(await actions()).toEqual([{ type: 'click', selector: 'h1' }]);
    });
    expect(problems).toEqual([]);
    await context.close();
    await watched.person.patch(`/projects/${watched.project}`, { config: { actions: null } });
  });

  it('picks a selector on the live page, and leaves the picture by Tab', async () => {
    const { page, context, problems } = await openPage(browser, { theme });
    await keepingScreenshot(page, `recorder picker ${theme}`, async () => {
      await signIn(page, fleet.url, watched.person.email);
      await startRecording(page);
      await page.getByLabel('A click on the picture').selectOption('pick');
      const picture = page.getByRole('application', { name: 'Live page' });
      await picture.click({ position: { x: 40, y: 40 } });
      await page.getByRole('heading', { name: 'Picked element' }).waitFor();
      await keepPicture(page, `recorder-picked-${theme}`);
      await picture.focus();
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.getAttribute("role")')).not.toBe('application');
      expect(await flawsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Close', exact: true }).click();
      await page.getByText('The recorder has ended').waitFor();
    });
    expect(problems).toEqual([]);
    await context.close();
  });
});
