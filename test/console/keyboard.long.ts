import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { sharedFleet } from '../harness/fleet.ts';
import { startReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { launchChromium } from './console-browser.ts';
import { runJourney } from './journey.ts';
import { type WatchedSite, watchSite } from './watched-site.ts';

const fleet = sharedFleet();
const { url } = fleet;
let browser: Browser;
let watched: WatchedSite;
let receiver: WebhookReceiver;
beforeAll(async () => {
  [browser, watched, receiver] = await Promise.all([launchChromium(), watchSite(fleet), startReceiver('127.0.0.6')]);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  watched?.site.close();
  receiver?.close();
  await fleet.close();
});

/** A page has fewer places that take the focus. */
const MAX_TABS = 120;

const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluate((element) => element.ownerDocument.activeElement === element);

/** Moves the focus by the Tab key until it is on an element. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let tabs = 0; tabs < MAX_TABS; tabs += 1) {
    if (await isFocused(target)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${MAX_TABS} tabs do not reach ${target}`);
}

async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press(key);
}

async function type(page: Page, target: Locator, text: string): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(text);
}

const button = (page: Page, name: string | RegExp): Locator => page.getByRole('button', { name, exact: true }).first();
const link = (page: Page, name: string | RegExp): Locator =>
  page.locator('#content').getByRole('link', { name, exact: true }).first();
/** Enters a text in the palette. */
async function searchFor(page: Page, text: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog').getByRole('combobox').waitFor();
  await page.keyboard.type(text);
}

/** Opens what the palette finds for a text. */
async function find(page: Page, text: string, entry: string | RegExp): Promise<void> {
  await searchFor(page, text);
  const option = page.getByRole('option', { name: entry }).first();
  await option.waitFor();
  for (let step = 0; step < MAX_TABS && (await option.getAttribute('aria-selected')) !== 'true'; step += 1)
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
}

/** Runs a task in which the mouse is not used: it is at no element, and no click of it arrives. */
const byKeyboard = (name: string, start: string, steps: (page: Page) => Promise<void>): Promise<void> =>
  runJourney(browser, {
    name: `keyboard ${name}`,
    url,
    email: watched.person.email,
    display: { theme: 'light' },
    steps: async (page) => {
      await page.goto(`${url}${start.replace('{project}', watched.project)}`);
      await page.locator('#content').getByRole('heading', { level: 1 }).first().waitFor();
      await steps(page);
    },
  });

describe('by keyboard alone', () => {
  it('a change is found in the palette, read and marked as reviewed', () =>
    byKeyboard('review', '/projects/{project}', async (page) => {
      await find(page, 'prices', /Prices.*Changes of the last run/);
      await page.locator('ins').first().waitFor();
      await page.keyboard.press('e');
      await page.getByText('/prices is marked as reviewed.').waitFor();
      await press(page, button(page, 'Undo'));
      await page.getByRole('img', { name: 'reviewed' }).waitFor({ state: 'detached' });
    }));

  it('a page is opened from the table, and its history is shown by arrow keys', () =>
    byKeyboard('page', '/projects/{project}/pages', async (page) => {
      await press(page, link(page, /Prices/));
      await tabTo(page, page.getByRole('tab', { name: 'Reading' }));
      for (let step = 0; step < 5 && new URL(page.url()).searchParams.get('tab') !== 'history'; step += 1) {
        await page.keyboard.press('ArrowRight');
        await page.waitForTimeout(50);
      }
      await page.getByRole('list', { name: 'Readings' }).getByText('What changed').waitFor();
    }));

  it('pages are found by a query and sorted', () =>
    byKeyboard('query', '/projects/{project}/pages', async (page) => {
      await type(page, page.getByRole('form').getByRole('combobox'), 'status:404');
      await page.keyboard.press('Enter');
      await page.getByText(/^1 page$/).waitFor();
      await press(page, page.getByRole('columnheader', { name: 'Page' }).getByRole('button'));
      await page.waitForURL(/sort=url/);
    }));

  it('a setting is found, changed, saved and taken back', () =>
    byKeyboard('setting', '/projects/{project}', async (page) => {
      await find(page, 'pages of a run', 'Pages of a run at most');
      await type(page, page.getByRole('textbox', { name: 'Pages of a run at most' }), '55');
      await press(page, button(page, 'Save'));
      await page.getByText('1 setting saved.').waitFor();
      await press(page, button(page, 'Undo'));
      await page.getByText('The settings are as before.').waitFor();
    }));

  it('a webhook is set and tested', () =>
    byKeyboard('webhook', '/projects/{project}/webhooks', async (page) => {
      await type(page, page.getByLabel('URL'), `${receiver.origin}/hook`);
      await press(page, button(page, 'Save the URL'));
      await press(page, button(page, 'Send a test'));
      await page.getByText('The test was delivered: 204.').waitFor();
    }));

  it('a dataset is downloaded', () =>
    byKeyboard('download', '/projects/{project}/exports', async (page) => {
      const download = page.waitForEvent('download');
      await press(page, link(page, 'Download changes'));
      expect((await download).suggestedFilename()).toContain('changes');
    }));

  it('an API key is created and revoked after a confirmation', () =>
    byKeyboard('key', '/keys', async (page) => {
      await type(page, page.getByLabel('Name', { exact: true }), 'reporting');
      await press(page, button(page, 'Create the key'));
      await page.getByText('The key reporting is created').waitFor();
      await press(page, button(page, 'Done'));
      await press(page, button(page, 'Revoke the key reporting'));
      await press(page, page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }));
      await page.getByText('The key reporting is revoked.').waitFor();
    }));

  it('a person is invited', () =>
    byKeyboard('invite', '/members', async (page) => {
      await type(page, page.getByLabel('E-mail address'), `guest-${Date.now()}@example.com`);
      await press(page, button(page, 'Invite'));
      await button(page, /^Withdraw the invitation of guest/).waitFor();
    }));

  it('a page is saved as a view, and opened from the palette', () =>
    byKeyboard('view', '/projects/{project}/pages?q=status%3A404', async (page) => {
      await find(page, 'Broken pages', /Save this page as the view/);
      await page.getByText('The view “Broken pages” is saved.').waitFor();
      await find(page, 'Usage', 'Usage');
      await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
      await find(page, 'Broken', /Broken pages.*Saved views/);
      await page.getByText(/^1 page$/).waitFor();
    }));

  it('the documentation is found in the palette', () =>
    byKeyboard('docs', '/projects/{project}', async (page) => {
      await searchFor(page, 'webhook');
      await page
        .getByRole('option', { name: /Documentation/ })
        .first()
        .waitFor();
      await page.getByRole('option', { name: 'Search the documentation for “webhook”' }).waitFor();
      await page.keyboard.press('Escape');
    }));

  it('a run is started and followed to its end', () =>
    byKeyboard('run', '/projects/{project}', async (page) => {
      await press(page, button(page, 'Run now'));
      await page.getByRole('heading', { name: /^Run of/ }).waitFor();
      await page.getByText('finished').first().waitFor();
    }));

  it('the state of an earlier run is chosen', () =>
    byKeyboard('run picker', '/projects/{project}/pages', async (page) => {
      await tabTo(page, page.getByLabel('State after'));
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.waitForURL(/run=run_/);
      await link(page, /Prices/).waitFor();
    }));
});
