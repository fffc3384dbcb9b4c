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

const savedAlerts = async (): Promise<unknown> => {
  const { body } = await watched.person.get(`/projects/${watched.project}`);
  return (body as { config: Record<string, unknown> }).config['alerts'];
};

describe.each(['light', 'dark'] as const)('alert rules (%s)', (theme) => {
  it('are made from a template, previewed on the stored changes, and saved', async () => {
    const { page, context } = await openPage(browser, { theme });
    await keepingScreenshot(page, `alerts ${theme}`, async () => {
      await signIn(page, fleet.url, watched.person.email);
      await page.goto(`${fleet.url}/projects/${watched.project}/settings?section=advanced`);
      await page.getByRole('button', { name: 'Add a rule' }).click();
      const rule = page.getByRole('group', { name: 'Alerts' });
      await rule.getByLabel('Name', { exact: true }).fill(`Large edits ${theme}`);
      await rule.getByLabel('Start from a template').selectOption('Text appears');
      await rule.getByLabel('Text', { exact: true }).fill('crowns');
      expect(await rule.getByLabel('Condition', { exact: true }).inputValue()).toBe(
        'mentions(entry.text_added, "crowns")',
      );
      await rule.getByLabel('Condition', { exact: true }).fill('words_added > 0');
      await rule.getByRole('button', { name: 'Preview on the stored changes' }).click();
      await rule.getByText(/^Would have matched [1-9]\d* of \d+ changes since/).waitFor();
      await rule.getByLabel('Condition', { exact: true }).fill('words_adde > 0');
      await rule.getByRole('button', { name: 'Preview on the stored changes' }).click();
      await rule.getByText(/there is no variable words_adde/).waitFor();
      await rule.getByLabel('Condition', { exact: true }).fill('words_added > 0');
      await rule.getByLabel('When', { exact: true }).selectOption('Once a day');
      await rule.getByLabel('Chat channel').uncheck();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('1 setting saved.').waitFor();
      expect(await savedAlerts()).toMatchObject([
        { name: `Large edits ${theme}`, when: 'words_added > 0', deliver: 'daily', channels: ['webhook', 'mail'] },
      ]);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('The settings are as before.').waitFor();
    });
    await context.close();
  });
});
