import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { sharedFleet } from '../harness/fleet.ts';
import { type ConsolePage, flawsOf, keepingScreenshot, launchChromium, openPage, signIn } from './console-browser.ts';
import { PAGES } from './pages.ts';
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

const addressOf = (path: string): string =>
  fleet.url + path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(watched.ids[name] ?? ''));

/** Pages that show something before any data is read. */
const WITHOUT_DATA = ['/projects/new', '/playground', '/nothing/here'];
/** The first case of each page. */
const DATA_PAGES = PAGES.filter(
  ({ path }, at, all) => all.findIndex((one) => one.path.split('?')[0] === path.split('?')[0]) === at,
).filter(({ path }) => !WITHOUT_DATA.includes(path));

describe('a page whose data can not be loaded', () => {
  let open: ConsolePage;
  beforeAll(async () => {
    open = await openPage(browser, { theme: 'dark' });
    await signIn(open.page, fleet.url, watched.person.email);
    const body = JSON.stringify({ error: 'a service is unavailable', code: 'unavailable', request_id: 'req_1' });
    await open.page.route(/\/v1\/(?!auth\/session)/, (route) =>
      route.fulfill({ status: 503, contentType: 'application/json', body }),
    );
  });
  afterAll(() => open?.context.close());

  it.each(DATA_PAGES)(
    'shows what happened on $name, with the request and a way to try again',
    async ({ name, path }) => {
      await keepingScreenshot(open.page, `failing ${name}`, async () => {
        await open.page.goto(addressOf(path));
        const alert = open.page.getByRole('alert').first();
        await alert.getByText('A service is unavailable.').waitFor();
        await alert.getByText('unavailable · Request req_1').waitFor();
        await alert.getByRole('button', { name: 'Try again' }).waitFor();
        expect(await flawsOf(open.page)).toEqual([]);
      });
    },
  );
});

describe('a viewer', () => {
  it('sees the data of the pages, and which role the actions require', async () => {
    const invited = await watched.person.post('/auth/invites', {
      email: `viewer-${Date.now()}@example.com`,
      role: 'viewer',
    });
    const { link } = invited.body as { link: string };
    const viewer = await fleet.people.accept(link);
    const { page, context, problems } = await openPage(browser, { theme: 'light' });
    await keepingScreenshot(page, 'viewer', async () => {
      await signIn(page, fleet.url, viewer.email);
      await page.goto(addressOf('/projects/{project}/settings?section=scope'));
      await page.getByText('Your role can read these settings and not change them.').waitFor();
      expect(await page.getByRole('textbox', { name: 'Pages of a run at most' }).isDisabled()).toBe(true);
      await page.goto(addressOf('/projects/{project}/exports'));
      await page.getByRole('link', { name: 'Download pages' }).waitFor();
      expect(await page.getByRole('button', { name: /^Sync now/ }).count()).toBe(0);
      for (const path of ['/playground', '/destinations/new', '/connections/new', '/projects/{project}/picker']) {
        await page.goto(addressOf(path));
        await page.getByText('Your role does not allow this').waitFor();
        expect([path, await flawsOf(page)]).toEqual([path, []]);
      }
      await page.goto(addressOf('/projects/{project}/changes?since=review'));
      await page.getByRole('link', { name: 'Open the page' }).waitFor();
      expect(await page.getByRole('button', { name: 'Mark reviewed' }).count()).toBe(0);
    });
    expect(problems).toEqual([]);
    await context.close();
  });
});
