import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type HarbourSite, startHarbour } from '../e2e/harbour-site.ts';
import { sharedFleet } from '../harness/fleet.ts';
import type { Person } from '../harness/people.ts';
import { until } from '../harness/until.ts';
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

const DISPLAYS: readonly (readonly [string, Display])[] = [
  ['light', { theme: 'light' }],
  ['dark', { theme: 'dark' }],
  ['phone', { theme: 'light', width: 390, height: 800 }],
];
const PICTURES = process.env['CONSOLE_PICTURES'] ?? '';
const LONG_NAME = 'Harbour, Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen مرفأ السفن';

const fleet = sharedFleet();
let site: HarbourSite;
let browser: Browser;
let person: Person;
const ids = { project: '', run: '' };

/** Runs the project to its end. @returns the run */
async function runProject(project: string): Promise<string> {
  const started = await person.post(`/projects/${project}/runs`, {});
  const { id } = started.body as { id: string };
  await until('the end of the run', async () => {
    const { body } = await person.get(`/projects/${project}/runs/${id}`);
    return (body as { status: string }).status === 'done';
  });
  return id;
}

beforeAll(async () => {
  [site, browser, person] = await Promise.all([startHarbour('127.0.0.5'), launchChromium(), fleet.people.signUp()]);
  const made = await person.post('/projects', {
    seed: `${site.origin}/`,
    name: LONG_NAME,
    config: { store_html: 'always' },
  });
  ids.project = (made.body as { id: string }).id;
  await runProject(ids.project);
  site.fee += 1;
  ids.run = await runProject(ids.project);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  site?.close();
  await fleet.close();
});

describe.each(DISPLAYS)('the console (%s)', (name, display) => {
  let open: ConsolePage;
  beforeAll(async () => {
    open = await openPage(browser, display);
    await signIn(open.page, fleet.url, person.email);
  });
  afterAll(() => open?.context.close());

  it.each(PAGES)(
    'shows $name without errors, findings of axe and sideways scrolling',
    async ({ name: page, path, shows }) => {
      const seen = open.problems.length;
      await keepingScreenshot(open.page, `${page} ${name}`, async () => {
        await open.page.goto(
          `${fleet.url}${path.replace('{project}', ids.project).replace('{run}', ids.run).replace('{site}', encodeURIComponent(site.origin))}`,
        );
        await open.page.getByText(shows).first().waitFor();
        await open.page.waitForLoadState('networkidle');
        if (PICTURES !== '') {
          mkdirSync(PICTURES, { recursive: true });
          await open.page.screenshot({ path: join(PICTURES, `${page.replace(/\W+/g, '-')}-${name}.png`) });
        }
        expect(await flawsOf(open.page)).toEqual([]);
      });
      // A browser reports every answer with an error status; a missing project has one.
      expect(open.problems.slice(seen).filter((problem) => !problem.includes('status of 404'))).toEqual([]);
    },
  );
});
