import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type HarbourSite, startHarbour } from '../e2e/harbour-site.ts';
import type { ApiResponse } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import type { Person } from '../harness/people.ts';
import { until } from '../harness/until.ts';
import { keepingScreenshot, launchChromium, openPage, signIn } from './console-browser.ts';
import { runJourney } from './journey.ts';
import { runProject, type WatchedSite, watchSite } from './watched-site.ts';

// What the console states about the data: each statement was once wrong.
const fleet = sharedFleet();
const { url } = fleet;
let browser: Browser;
let watched: WatchedSite;
let slow: HarbourSite;
beforeAll(async () => {
  [browser, watched, slow] = await Promise.all([
    launchChromium(),
    watchSite(fleet, { store_html: 'home' }),
    startHarbour('127.0.0.6'),
  ]);
}, 180_000);
afterAll(async () => {
  await browser?.close();
  watched?.site.close();
  slow?.close();
  await fleet.close();
});

interface Options {
  readonly name: string;
  readonly person?: Person;
  readonly width?: number;
  readonly refusals?: readonly number[];
}

const run = ({ name, person = watched.person, width, refusals = [] }: Options, steps: (page: Page) => Promise<void>) =>
  runJourney(browser, {
    name,
    url,
    email: person.email,
    display: { theme: 'light', ...(width === undefined ? {} : { width, height: 844 }) },
    refusals,
    steps,
  });

function idOf({ status, text, body }: ApiResponse): string {
  if (status !== 201) throw new Error(text);
  return (body as { id: string }).id;
}

/** No identifier of a person, such as `usr_01j…`, is in the text of a page. */
const expectNoPersonId = async (page: Page): Promise<void> =>
  expect(await page.locator('#content').textContent()).not.toMatch(/usr_[0-9a-z]{26}/);

describe('content that was never stored', () => {
  it.each([
    ['the markup of a change', '/changes?change={change}&view=markup', 'The HTML of these pages is not kept'],
    ['the screenshots of a change', '/changes?change={change}&view=screenshots', 'No screenshots of both runs'],
    ['the removed parts of a page', '/page?url={site}/prices&tab=removed', 'The HTML of this page is not kept'],
  ])('is not called deleted: %s names the setting that keeps it', (name, path, title) =>
    run({ name, refusals: [404] }, async (page) => {
      const address = path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(watched.ids[key] ?? ''));
      await page.goto(`${url}/projects/${watched.project}${address}`);
      await page.getByText(title).waitFor();
      expect(await page.getByText('It was deleted').count()).toBe(0);
      await page.getByRole('link', { name: 'Open the setting' }).click();
      await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    }),
  );
});

describe('the table of pages on a phone', () => {
  it('shows the names of pages in at least half of the window', () =>
    run({ name: 'pages phone', width: 390 }, async (page) => {
      await page.goto(`${url}/projects/${watched.project}/pages`);
      const name = page.getByRole('link', { name: /Prices/ }).first();
      await name.waitFor();
      expect((await name.boundingBox())?.width).toBeGreaterThan(195);
    }));
});

describe('a time of the past', () => {
  it('is never shown as one to come, where the clock of the browser is behind that of the server', async () => {
    const person = await fleet.people.signUp();
    const project = idOf(await person.post('/projects', { seed: `${slow.origin}/`, config: { max_pages: 1 } }));
    await run({ name: 'clock', person }, async (page) => {
      await page.clock.setFixedTime(Date.now() - 20_000);
      await runProject(person, project);
      await page.goto(`${url}/projects/${project}`);
      const started = page.getByRole('table').locator('time').first();
      await started.waitFor();
      expect(await started.textContent()).not.toMatch(/^in /);
    });
  });
});

describe('the language', () => {
  it('is that of the browser from the first view on, in texts, numbers and plural forms', async () => {
    const { page, context, problems } = await openPage(browser, { theme: 'light', locale: 'de-DE' });
    await keepingScreenshot(page, 'german', async () => {
      await signIn(page, url, watched.person.email);
      await page.getByRole('heading', { name: 'Übersicht' }).waitFor();
      await page.getByRole('link', { name: 'Projekte', exact: true }).first().click();
      await page.getByText('1 Projekt', { exact: true }).waitFor();
    });
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('a run in progress', () => {
  it('takes the place of the button that starts one', async () => {
    const person = await fleet.people.signUp();
    const project = idOf(await person.post('/projects', { seed: `${slow.origin}/slow`, config: { max_pages: 1 } }));
    slow.gate = Promise.withResolvers<void>();
    await person.post(`/projects/${project}/runs`, {});
    await run({ name: 'run under way', person }, async (page) => {
      await page.goto(`${url}/projects/${project}`);
      await page.getByRole('link', { name: 'See the run in progress' }).waitFor();
      expect(await page.getByRole('button', { name: 'Run now' }).count()).toBe(0);
      slow.gate?.resolve();
      await page.getByRole('button', { name: 'Run now' }).waitFor();
    });
  });
});

describe('a run that read nothing', () => {
  it('looks failed, says why and what to do', async () => {
    const person = await fleet.people.signUp();
    const gone = await startHarbour('127.0.0.6');
    gone.close();
    const project = idOf(await person.post('/projects', { seed: `${gone.origin}/`, name: 'Nowhere' }));
    await person.post(`/projects/${project}/runs`, {});
    await until('the end of the run', async () => {
      const { body } = await person.get(`/projects/${project}/runs`);
      return (body as { data: { status: string }[] }).data.some(({ status }) => status === 'error');
    });
    await run({ name: 'failed run', person }, async (page) => {
      await page.goto(`${url}/projects/${project}`);
      await page.getByText('Check that the URL is right').waitFor();
      await page.getByRole('table').getByText('failed').waitFor();
    });
  });
});

describe('a destination', () => {
  it('warns where the test of its connection failed, before it is created', async () => {
    const { connection = '' } = watched.ids;
    await watched.person.post(`/connections/${connection}/test`, {});
    await run({ name: 'failing connection', refusals: [400, 422] }, async (page) => {
      await page.goto(`${url}/destinations/new?project=${watched.project}`);
      await page.getByText(/^The last test of this connection failed: .* Syncs will fail until it works\.$/).waitFor();
    });
  });
});

describe('a person', () => {
  it('is named in the history of settings and in the audit log, not shown by an identifier', async () => {
    await watched.person.patch(`/projects/${watched.project}`, { config: { max_depth: 3 } });
    await run({ name: 'names' }, async (page) => {
      await page.goto(`${url}/projects/${watched.project}/settings?section=history`);
      await page.getByText('current').first().waitFor();
      await page.getByRole('cell', { name: 'Ann' }).first().waitFor();
      await expectNoPersonId(page);
      await page.goto(`${url}/workspace?tab=audit`);
      await page.getByText('Ann').first().waitFor();
      await expectNoPersonId(page);
    });
  });
});

describe('what an entry of the audit log changed', () => {
  it('is stated by the names of settings and providers', () =>
    run({ name: 'audit details' }, async (page) => {
      await page.goto(`${url}/workspace?tab=audit`);
      await page.getByText('provider: PostgreSQL').first().waitFor();
      await page
        .getByText(/settings: .*Keep the HTML/)
        .first()
        .waitFor();
      expect(await page.locator('#content').textContent()).not.toMatch(/store_html|postgresql/);
    }));
});

describe('a project that does not exist', () => {
  it('is not found, has no pages in the navigation, and is not named by its identifier', () =>
    run({ name: 'unknown project', refusals: [404] }, async (page) => {
      await page.goto(`${url}/projects/prj_01j5xq2w8se6fa7t0a6q1n3k2m`);
      await page.getByText('Not found').waitFor();
      await page.getByText('Unknown project').first().waitFor();
      expect(await page.getByRole('navigation', { name: 'Project', exact: true }).count()).toBe(0);
      expect(await page.getByText('prj_01j5').count()).toBe(0);
    }));
});

describe('the chosen tab on a phone', () => {
  it('is in view, however many tabs are before it', () =>
    run({ name: 'last tab', width: 390 }, async (page) => {
      await page.goto(`${url}/projects/${watched.project}/settings?section=history`);
      const box = await page.getByRole('tab', { name: 'History' }).boundingBox();
      expect([(box?.x ?? -1) >= 0, (box?.x ?? 390) + (box?.width ?? 0) <= 390]).toEqual([true, true]);
    }));
});

describe('passkeys', () => {
  it('are not offered at an IP address, for which a browser creates none; the address by name is shown', () =>
    run({ name: 'passkeys' }, async (page) => {
      await page.goto(`${url}/account`);
      const passkeys = page.getByRole('region', { name: 'Passkeys' });
      await passkeys.getByText(`http://localhost:${new URL(url).port}/account`).waitFor();
      expect(await passkeys.getByRole('button', { name: 'Add a passkey' }).count()).toBe(0);
    }));
});

describe('the start URL of a project', () => {
  it('is a setting that can be corrected', async () => {
    const person = await fleet.people.signUp();
    const secure = slow.origin.replace('http:', 'https:');
    const project = idOf(await person.post('/projects', { seed: `${secure}/`, name: 'Typo' }));
    await run({ name: 'start URL', person }, async (page) => {
      await page.goto(`${url}/projects/${project}/settings`);
      await page.getByLabel('Start URL').fill(`${slow.origin}/`);
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('1 setting saved.').waitFor();
      const { body } = await person.get(`/projects/${project}`);
      expect(body).toMatchObject({ seed: `${slow.origin}/` });
    });
  });
});

describe('a browser without a connection', () => {
  it('keeps the console, says that what is shown may be old, and that another page can not be loaded', async () => {
    const { page, context, problems } = await openPage(browser, { theme: 'light' });
    await keepingScreenshot(page, 'offline', async () => {
      await signIn(page, url, watched.person.email);
      await page.goto(`${url}/projects/${watched.project}`);
      await page.getByRole('button', { name: 'Run now' }).waitFor();
      const navigation = page.getByRole('navigation', { name: 'Project' });
      await context.setOffline(true);
      await page.getByText('You are offline.').waitFor();
      await navigation.getByRole('link', { name: 'Exports' }).click();
      await page.getByText('Check the connection').first().waitFor();
      expect(await navigation.count()).toBe(1);
      await context.setOffline(false);
      await page.getByText('You are offline.').waitFor({ state: 'detached' });
    });
    // The browser reports each request without a connection, and React the page that could not be loaded.
    const isExpected = /ERR_INTERNET_DISCONNECTED|could not be loaded|dynamically imported module/;
    expect(problems.filter((problem) => !isExpected.test(problem))).toEqual([]);
    await context.close();
  });
});
