import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type HarbourSite, startHarbour } from '../e2e/harbour-site.ts';
import { sharedFleet } from '../harness/fleet.ts';
import type { Person } from '../harness/people.ts';
import { until } from '../harness/until.ts';
import { type Display, flawsOf, keepingScreenshot, launchChromium, openPage, signIn } from './console-browser.ts';
import { type HostileSite, startHostileSite } from './hostile-site.ts';
import { keepPicture } from './journey.ts';
import { runProject } from './watched-site.ts';

const fleet = sharedFleet();
const WIDE: Display = { theme: 'light', width: 1440, height: 900 };
const PHONE: Display = { theme: 'dark', width: 390, height: 844 };
let site: HarbourSite;
let hostile: HostileSite;
let browser: Browser;
let person: Person;
/** A project with a change of /prices, of which markdown alone is stored. */
let project: string;
beforeAll(async () => {
  [site, hostile, browser, person] = await Promise.all([
    startHarbour('127.0.0.5'),
    startHostileSite('127.0.0.5'),
    launchChromium(),
    fleet.people.signUp(),
  ]);
  project = await watchChange(`${site.origin}/`, {}, () => {
    site.fee += 1;
  });
}, 180_000);
afterAll(async () => {
  await browser?.close();
  site?.close();
  hostile?.close();
  await fleet.close();
});

/** Runs a project, changes its site, and runs it again. @returns the project */
async function watchChange(seed: string, config: object, change: () => void): Promise<string> {
  const made = await person.post('/projects', { seed, config });
  const { id } = made.body as { id: string };
  await runProject(person, id);
  change();
  await runProject(person, id);
  return id;
}

/** Opens a page of the console as the owner. */
async function opened(display: Display, path: string, steps: (page: Page) => Promise<void>): Promise<void> {
  const { page, context, problems } = await openPage(browser, display);
  await keepingScreenshot(page, `compare ${path}`, async () => {
    await signIn(page, fleet.url, person.email);
    await page.goto(fleet.url + path);
    await steps(page);
  });
  expect(problems).toEqual([]);
  await context.close();
}

const listIn = (page: Page) => page.getByRole('list', { name: 'Changed pages' });
const chosenIn = (page: Page) => page.getByRole('region', { name: 'The chosen change' });
const frameIn = (page: Page) => page.frameLocator('iframe[title="The page with its changes"]');

describe('the list of changes', () => {
  it('names the page and shows its changed words before and after', () =>
    opened(WIDE, `/projects/${project}/changes`, async (page) => {
      const row = listIn(page).getByRole('listitem').filter({ hasText: '/prices' });
      await row.getByText('Prices', { exact: true }).waitFor();
      expect(await row.locator('del').allTextContents()).toEqual([String(site.fee - 1)]);
      expect(await row.locator('ins').allTextContents()).toEqual([String(site.fee)]);
      await row.getByText('1 word added, 1 word removed').waitFor({ state: 'attached' });
    }));

  it('folds pages in doubt with their reasons below the changes', async () => {
    const id = await watchChange(`${site.origin}/`, { max_pages: 3 }, () => {
      site.fee += 1;
    });
    const [unread] = [{ kind: 'unverified', reason: 'blocked', explanation: 'The site refused the page.' }];
    await opened(WIDE, '/', async (page) => {
      await page.route('**/changes?*', async (route) => {
        const response = await route.fetch();
        const record = await response.json();
        record.counts.unverified = 1;
        if (new URL(route.request().url()).searchParams.get('kind') === 'doubtful')
          record.entries = [{ ...ENTRY, ...unread, runId: record.runId }];
        await route.fulfill({ response, json: record });
      });
      await page.goto(`${fleet.url}/projects/${id}/changes`);
      await listIn(page).getByText('Prices', { exact: true }).waitFor();
      expect(await page.getByText('The site refused the page.').count()).toBe(0);
      await page.getByRole('button', { name: '1 page in doubt' }).click();
      await page.getByRole('heading', { name: 'unverified · 1 page' }).waitFor();
      expect(await flawsOf(page)).toEqual([]);
    });
  });
});

const ENTRY = {
  id: 'chg_a2a2a2a2a2a2a2a2a2a2a2a2a2',
  url: 'http://127.0.0.5/private',
  title: 'Members',
  section: '',
  volatile: false,
  wordsAdded: 0,
  wordsRemoved: 0,
  blocks: [],
  fields: [],
  movedFrom: null,
  returned: false,
  numericOnly: false,
  reordered: false,
  degraded: false,
  truncated: false,
  templateRefs: [],
  template: null,
  baselineRunId: null,
  verdicts: { before: 'ok', now: 'blocked' },
  links: null,
  firstSeenAt: '2026-11-24T00:00:00.000Z',
  reviewed: false,
  reviewedBy: null,
  reviewedAt: null,
};

describe('the chosen change', () => {
  it('is in view without scrolling on a window of 900 px, in a pane that scrolls on its own', () =>
    opened(WIDE, `/projects/${project}/changes`, async (page) => {
      const box = await chosenIn(page).locator('ins').boundingBox();
      expect((box?.y ?? 900) + (box?.height ?? 0)).toBeLessThan(400);
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBe(900);
    }));

  it('is shown side by side, and as the whole page', () =>
    opened(WIDE, `/projects/${project}/changes`, async (page) => {
      const pane = chosenIn(page);
      await pane.getByRole('button', { name: 'Side by side' }).click();
      await pane.getByText('Before', { exact: true }).waitFor();
      const [old, now] = [pane.locator('del'), pane.locator('ins')];
      expect((await old.boundingBox())?.y).toBe((await now.boundingBox())?.y);
      await pane.getByRole('button', { name: 'Whole page' }).click();
      await pane.getByText('the gauge at the pier').first().waitFor();
      expect(await now.count()).toBe(1);
      expect(await flawsOf(page)).toEqual([]);
    }));

  it('lies over the list on a phone, and Escape and its button return to the list', () =>
    opened(PHONE, `/projects/${project}/changes`, async (page) => {
      const row = listIn(page).getByRole('button', { name: /Prices/ });
      await row.click();
      await chosenIn(page).locator('ins').waitFor();
      expect(await page.evaluate('document.activeElement?.getAttribute("aria-label")')).toBe('Back to the list');
      expect((await chosenIn(page).boundingBox())?.y).toBe(0);
      expect(await flawsOf(page)).toEqual([]);
      await keepPicture(page, 'change-on-a-phone');
      await page.keyboard.press('Escape');
      await chosenIn(page).waitFor({ state: 'detached' });
      await row.click();
      await page.getByRole('button', { name: 'Back to the list' }).click();
      await chosenIn(page).waitFor({ state: 'detached' });
    }));
});

describe('the page with its changes in place', () => {
  it('is the stored text where no html is stored', () =>
    opened(WIDE, `/projects/${project}/changes?view=page`, async (page) => {
      const frame = frameIn(page);
      await frame.locator('ins').waitFor();
      expect(await frame.locator('h1').textContent()).toBe('Prices');
      expect(await frame.locator('p', { has: frame.locator('ins') }).textContent()).toContain(
        `The fee is ${site.fee - 2} ${site.fee - 1} crowns`,
      );
      await page.getByText('Stored text').waitFor();
      await page.getByText('change 1 of 1').waitFor();
    }));

  it('is the stored html, which runs nothing, loads nothing and reads nothing of the console', async () => {
    const id = await watchChange(`${hostile.origin}/`, { store_html: 'always' }, () => {
      hostile.ending = 'three times a day';
    });
    const { page, context } = await openPage(browser, WIDE);
    await keepingScreenshot(page, 'compared hostile page', async () => {
      await signIn(page, fleet.url, person.email);
      hostile.hits.length = 0;
      const url = `${fleet.url}/projects/${id}/changes?view=page`;
      await page.goto(url);
      await frameIn(page).locator('ins').first().waitFor();
      await page.getByText('Stored page, without styles').waitFor();
      expect(await frameIn(page).locator('del').first().textContent()).toBe('twice');
      for (const target of ['#send', '#script', '#away']) await frameIn(page).locator(target).click();
      const frame = await until('the frame', async () => page.frames().find((one) => one.url().includes('/stored/')));
      const inFrame = (code: string): Promise<unknown> => frame.evaluate(code);
      expect(await inFrame('self.origin')).toBe('null');
      for (const code of ['parent.document.title', 'document.cookie', 'localStorage.length'])
        expect(await inFrame(`(() => { try { return ${code}; } catch { return 'refused'; } })()`)).toBe('refused');
      expect(await inFrame(`fetch('${fleet.url}/v1/me').then(() => 'read', () => 'refused')`)).toBe('refused');
      expect(
        await inFrame(
          "Document.prototype.querySelectorAll.call(document, 'img, iframe, object, meta[http-equiv], a[href]').length",
        ),
      ).toBe(0);
      expect(await page.evaluate('window.hacked')).toBeUndefined();
      expect(page.url()).toBe(url);
      await page.waitForLoadState('networkidle');
      expect(hostile.hits).toEqual([]);
    });
    await context.close();
    const alone = await openPage(browser, WIDE);
    await signIn(alone.page, fleet.url, person.email);
    const url = encodeURIComponent(`${hostile.origin}/`);
    const response = await alone.page.goto(`${fleet.url}/stored/${id}/comparison?url=${url}`);
    expect(response?.status()).toBe(403);
    await alone.context.close();
  });
});

describe('the frame of the console', () => {
  it('has a navigation of two levels that does not scroll on a window of 900 px', () =>
    opened(WIDE, '/', async (page) => {
      const isWhole = () =>
        page.evaluate(
          '(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight)(document.querySelector("aside > div"))',
        );
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
      expect(await isWhole()).toBe(true);
      await page.goto(`${fleet.url}/projects/${project}/pages`);
      const inProject = page.getByRole('navigation', { name: 'Project' });
      await inProject.getByRole('link', { name: 'Exports' }).waitFor();
      expect(await isWhole()).toBe(true);
      expect(await inProject.getByRole('link').count()).toBeLessThanOrEqual(12);
      await page.getByRole('navigation', { name: 'Workspace pages' }).getByRole('link', { name: 'Projects' }).click();
      await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
    }));

  it('moves the focus to the content when another page opens', () =>
    opened(WIDE, '/', async (page) => {
      await page.getByRole('link', { name: 'Projects', exact: true }).click();
      await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
      expect(await page.evaluate('document.activeElement?.id')).toBe('content');
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.getElementById("content").contains(document.activeElement)')).toBe(true);
    }));
});
