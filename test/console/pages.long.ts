import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { sharedFleet } from '../harness/fleet.ts';
import {
  type ConsolePage,
  type Display,
  flawsOf,
  keepingScreenshot,
  launchChromium,
  openPage,
  signIn,
} from './console-browser.ts';
import { PAGES } from './pages.ts';
import { type WatchedSite, watchSite } from './watched-site.ts';

const DISPLAYS: readonly (readonly [string, Display])[] = [
  ['light', { theme: 'light', width: 1440, height: 900 }],
  ['dark', { theme: 'dark', width: 1440, height: 900 }],
  ['phone', { theme: 'light', width: 390, height: 844 }],
  ['dark-phone', { theme: 'dark', width: 390, height: 844 }],
];
const PICTURES = process.env['CONSOLE_PICTURES'] ?? '';
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

describe.each(DISPLAYS)('the console (%s)', (name, display) => {
  let open: ConsolePage;
  beforeAll(async () => {
    open = await openPage(browser, display);
    await signIn(open.page, fleet.url, watched.person.email);
  });
  afterAll(() => open?.context.close());

  it.each(PAGES)(
    'shows $name without errors, findings of axe and sideways scrolling',
    async ({ name: page, path, shows }) => {
      const seen = open.problems.length;
      await keepingScreenshot(open.page, `${page} ${name}`, async () => {
        await open.page.goto(
          fleet.url + path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(watched.ids[name] ?? '')),
        );
        await open.page.getByText(shows).first().waitFor();
        await open.page.waitForLoadState('networkidle');
        if (PICTURES !== '') {
          mkdirSync(PICTURES, { recursive: true });
          await open.page.screenshot({ path: join(PICTURES, `${page.replace(/\W+/g, '-')}-${name}.png`) });
        }
        expect(await flawsOf(open.page)).toEqual([]);
      });
      // A browser reports every response with an error status; a missing project has one.
      expect(open.problems.slice(seen).filter((problem) => !problem.includes('status of 404'))).toEqual([]);
    },
  );
});
