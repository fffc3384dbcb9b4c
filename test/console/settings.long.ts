import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import { countedClicks, keepingScreenshot, launchChromium, openPage, signIn } from './console-browser.ts';
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

const storedConfig = async (): Promise<Record<string, unknown>> => {
  const { body } = await watched.person.get(`/projects/${watched.project}`);
  return (body as { config: Record<string, unknown> }).config;
};

describe.each(['light', 'dark'] as const)('the settings of a project (%s)', (theme) => {
  it('show the effect of a change before it is saved, save it in four clicks, and take it back', async () => {
    const { page, context, problems } = await openPage(browser, { theme });
    await keepingScreenshot(page, `settings ${theme}`, async () => {
      await signIn(page, fleet.url, watched.person.email);
      await page.goto(`${fleet.url}/projects/${watched.project}`);
      const clicks = await countedClicks(page);
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('tab', { name: 'Scope' }).click();
      await page.getByLabel('Never these paths').focus();
      await page.keyboard.type('/prices');
      await page.getByRole('button', { name: 'Preview the effect' }).click();
      await page.getByText('1 page not visited any more').waitFor();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('1 setting saved.').waitFor();
      expect(await clicks()).toBeLessThanOrEqual(4);
      expect(await storedConfig()).toMatchObject({ exclude_paths: ['/prices'] });
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('The settings are as before.').waitFor();
      await until('the former settings', async () => (await storedConfig())['exclude_paths'] === undefined);
    });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('show a refusal at its field, keep the unsaved values, and restore a version of the history', async () => {
    const { page, context } = await openPage(browser, { theme });
    await keepingScreenshot(page, `settings refusal ${theme}`, async () => {
      await signIn(page, fleet.url, watched.person.email);
      await page.goto(`${fleet.url}/projects/${watched.project}/settings?section=scope`);
      await page.getByRole('textbox', { name: 'Pages of a run at most' }).fill('0');
      await page.getByRole('textbox', { name: 'Links from the start URL at most' }).fill('3');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Nothing was saved').waitFor();
      expect(await page.getByRole('textbox', { name: 'Pages of a run at most' }).getAttribute('aria-invalid')).toBe(
        'true',
      );
      expect(await page.getByRole('textbox', { name: 'Links from the start URL at most' }).inputValue()).toBe('3');
      await page.getByRole('textbox', { name: 'Pages of a run at most' }).fill('70');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('2 settings saved.').waitFor();
      await page.getByRole('tab', { name: 'History' }).click();
      await page
        .getByRole('button', { name: /^Restore version/ })
        .first()
        .click();
      await page.getByText(/^Version \d+ is restored/).waitFor();
      expect(await storedConfig()).not.toHaveProperty('max_pages');
    });
    await context.close();
  });

  it('state the price of a screenshot beside the setting, before it is saved', async () => {
    const { page, context, problems } = await openPage(browser, { theme });
    await keepingScreenshot(page, `settings price ${theme}`, async () => {
      await signIn(page, fleet.url, watched.person.email);
      await page.goto(`${fleet.url}/projects/${watched.project}/settings?section=output`);
      await page.getByLabel('Screenshot').selectOption('Whole page');
      await page.getByText('Raises the price of every page to 5 credits at least.').waitFor();
      await page.getByText(/about \d+ credits a run \(was \d+ credits\)/).waitFor();
      await page.getByRole('button', { name: 'Preview the effect' }).click();
      await page.getByRole('cell', { name: 'credits of a run, estimated' }).waitFor();
    });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('keep unsaved values when another page is opened, after a question', async () => {
    const { page, context, problems } = await openPage(browser, { theme });
    await keepingScreenshot(page, `settings leave ${theme}`, async () => {
      await signIn(page, fleet.url, watched.person.email);
      await page.goto(`${fleet.url}/projects/${watched.project}/settings?section=scope`);
      const pages = page.getByRole('textbox', { name: 'Pages of a run at most' });
      await pages.fill('77');
      await page.getByRole('link', { name: 'Runs' }).click();
      await page.getByRole('button', { name: 'Stay' }).click();
      expect(await pages.inputValue()).toBe('77');
      await page.getByRole('link', { name: 'Runs' }).click();
      await page.getByRole('button', { name: 'Leave and keep them' }).click();
      await page.getByRole('button', { name: 'Run now' }).waitFor();
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByRole('tab', { name: 'Scope' }).click();
      expect(await pages.inputValue()).toBe('77');
      await page.getByRole('button', { name: 'Discard' }).click();
    });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('build a schedule whose next three runs are shown, and mark the section of a refused value', async () => {
    const { page, context, problems } = await openPage(browser, { theme });
    await keepingScreenshot(page, `settings forms ${theme}`, async () => {
      await signIn(page, fleet.url, watched.person.email);
      await page.goto(`${fleet.url}/projects/${watched.project}/settings`);
      await page.getByLabel('How often').selectOption('Every week');
      await page.getByLabel('Day of the week').selectOption('on Friday');
      await page.getByLabel('Time', { exact: true }).fill('08:30');
      expect(await page.getByRole('group', { name: 'Schedule' }).getByRole('listitem').count()).toBe(3);
      await page.getByRole('tab', { name: 'Content' }).click();
      await page.getByRole('button', { name: 'Add a field' }).click();
      await page.getByLabel('Name', { exact: true }).fill('price');
      await page.getByRole('group', { name: 'Fields' }).getByLabel('Selector').fill('td[');
      await page.getByRole('tab', { name: 'General' }).click();
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByRole('tab', { name: /Content.*1 error/ }).waitFor();
      await page.getByRole('button', { name: 'Discard' }).click();
    });
    expect(problems.filter((problem) => !problem.includes('422') && !problem.includes('400'))).toEqual([]);
    await context.close();
  });
});
