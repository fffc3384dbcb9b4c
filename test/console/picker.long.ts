import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Frame, Page } from 'playwright-core';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import { countedClicks, flawsOf, keepingScreenshot, launchChromium, openPage, signIn } from './console-browser.ts';
import { type HostileSite, startHostileSite } from './hostile-site.ts';
import { runProject, type WatchedSite, watchSite } from './watched-site.ts';

const fleet = sharedFleet();
let watched: WatchedSite;
let hostile: HostileSite;
let browser: Browser;
beforeAll(async () => {
  [watched, hostile, browser] = await Promise.all([watchSite(fleet), startHostileSite('127.0.0.5'), launchChromium()]);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  watched?.site.close();
  hostile?.close();
  await fleet.close();
});

const fieldsOf = async (): Promise<unknown> => {
  const { body } = await watched.person.get(`/projects/${watched.project}`);
  return (body as { config: Record<string, unknown> }).config['fields'];
};

/** Returns the frame of the stored page. */
async function storedFrame(page: Page): Promise<Frame> {
  return until('the frame of the stored page', async () => page.frames().find((one) => one.url().includes('/stored/')));
}

describe.each(['light', 'dark'] as const)('the picker (%s)', (theme) => {
  it('makes a field by pointing at a stored page, with the matches of each selector, and takes it back', async () => {
    const { page, context, problems } = await openPage(browser, { theme });
    await keepingScreenshot(page, `picker ${theme}`, async () => {
      await signIn(page, fleet.url, watched.person.email);
      const url = encodeURIComponent(`${watched.site.origin}/prices`);
      await page.goto(`${fleet.url}/projects/${watched.project}/page?url=${url}`);
      const clicks = await countedClicks(page);
      await page.getByRole('main').getByRole('link', { name: 'Pick a selector' }).click();
      const stored = page.frameLocator('iframe[title="Stored page"]');
      await stored.getByText('The fee is').click();
      await page.getByRole('radio', { name: /^\.lead/ }).waitFor();
      await page.getByText(/1 match on this page · \d matches on \d pages/).waitFor();
      await page.getByLabel('Name of the field').focus();
      await page.keyboard.type('fee');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('fee is saved').waitFor();
      // The click into the frame is not counted by the page.
      expect(await clicks()).toBeLessThanOrEqual(2);
      expect(await fieldsOf()).toEqual({ fee: { selector: '.lead', type: 'string', many: false } });
      expect(await flawsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Undo' }).click();
      await until('the field to be removed', async () => (await fieldsOf()) === undefined);
    });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('is used by keyboard alone, and refuses a selector that can not be read', async () => {
    const { page, context, problems } = await openPage(browser, { theme });
    await keepingScreenshot(page, `picker keys ${theme}`, async () => {
      await signIn(page, fleet.url, watched.person.email);
      await page.goto(`${fleet.url}/projects/${watched.project}/picker`);
      const stored = page.frameLocator('iframe[title="Stored page"]');
      await stored.getByRole('heading', { name: 'The harbour' }).waitFor();
      await page.getByRole('button', { name: 'Show' }).focus();
      await page.keyboard.press('Tab');
      for (const key of ['ArrowDown', 'ArrowRight', 'ArrowDown']) await page.keyboard.press(key);
      await page.getByText('h1: The harbour').waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('radio', { name: /^h1/ }).waitFor();
      expect(await page.getByRole('textbox', { name: 'Selector' }).inputValue()).toBe('h1');
      await page.getByRole('textbox', { name: 'Selector' }).fill('p[');
      await page
        .getByRole('status')
        .filter({ hasText: /selector/i })
        .last()
        .waitFor();
    });
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('a stored page that attacks', () => {
  it('runs no script, sends no form, follows no refresh, loads nothing, and does not reach the console', async () => {
    const { person } = watched;
    const made = await person.post('/projects', {
      seed: `${hostile.origin}/`,
      config: { store_html: 'always', max_pages: 1, render_js: 'never' },
    });
    const { id } = made.body as { id: string };
    await runProject(person, id);
    const { page, context } = await openPage(browser, { theme: 'light' });
    await keepingScreenshot(page, 'hostile page', async () => {
      await signIn(page, fleet.url, person.email);
      hostile.hits.length = 0;
      const address = `${fleet.url}/projects/${id}/picker`;
      await page.goto(address);
      const stored = page.frameLocator('iframe[title="Stored page"]');
      await stored.locator('#point').click();
      await page.getByRole('radio', { name: /^#point/ }).waitFor();
      for (const target of ['#send', '#script', '#away']) await stored.locator(target).click();
      await page.getByRole('radio', { name: /^#away/ }).waitFor();
      const frame = await storedFrame(page);
      const inFrame = (code: string): Promise<unknown> => frame.evaluate(code);
      expect(await inFrame('self.origin')).toBe('null');
      for (const code of ['parent.document.title', 'document.cookie', 'localStorage.length'])
        expect([code, await inFrame(`(() => { try { return ${code}; } catch { return 'refused'; } })()`)]).toEqual([
          code,
          'refused',
        ]);
      for (const path of [`${fleet.url}/v1/me`, `${fleet.url}/`])
        expect(await inFrame(`fetch('${path}').then(() => 'read', () => 'refused')`)).toBe('refused');
      await inFrame("HTMLFormElement.prototype.submit.call(document.getElementById('form'))");
      expect(
        await inFrame(
          "Document.prototype.querySelectorAll.call(document, 'script, meta[http-equiv], iframe, object').length",
        ),
      ).toBe(0);
      expect(await page.evaluate('window.hacked')).toBeUndefined();
      expect(page.url().startsWith(address)).toBe(true);
      await page.waitForLoadState('networkidle');
      expect(hostile.hits).toEqual([]);
    });
    await context.close();
  });

  it('is refused where a browser opens it as a page of its own', async () => {
    const { page, context } = await openPage(browser, { theme: 'light' });
    await signIn(page, fleet.url, watched.person.email);
    const url = encodeURIComponent(`${watched.site.origin}/`);
    const opened = await page.goto(`${fleet.url}/stored/${watched.project}?url=${url}`);
    expect(opened?.status()).toBe(403);
    expect(opened?.headers()['content-type']).toContain('application/json');
    await context.close();
  });
});
