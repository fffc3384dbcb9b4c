import { readFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Browser, Page, Route } from 'playwright-core';
import { sharedFleet } from '../harness/fleet.ts';
import { countedClicks, flawsOf, keepingScreenshot, launchChromium, openPage, signIn } from './console-browser.ts';
import { type WatchedSite, watchSite } from './watched-site.ts';

const fleet = sharedFleet();
let watched: WatchedSite;
let browser: Browser;
let database: Server;

/** Serves the database of the fleet at an address that connections may have. */
async function forward(to: URL): Promise<Server> {
  const server = createServer((socket) => {
    const upstream = connect(Number(to.port), to.hostname);
    for (const [from, into] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      from.on('error', () => into.destroy());
      from.pipe(into);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.5', resolve));
  return server;
}

beforeAll(async () => {
  [watched, browser, database] = await Promise.all([
    watchSite(fleet),
    launchChromium(),
    forward(new URL(fleet.databaseUrl)),
  ]);
  await fleet.sql('CREATE SCHEMA IF NOT EXISTS console_rows');
}, 180_000);
afterAll(async () => {
  await browser?.close();
  watched?.site.close();
  database?.close();
  await fleet.close();
});

/** Fills the form of a connection to the database of the fleet. */
async function fillConnection(page: Page): Promise<void> {
  const url = new URL(fleet.databaseUrl);
  const bound = database.address();
  const port = typeof bound === 'object' ? String(bound?.port) : '';
  const field = (name: string) => page.getByLabel(name, { exact: true });
  await field('Host').fill('127.0.0.5');
  await field('Port').fill(port);
  await field('Database').fill(url.pathname.slice(1));
  await field('User').fill(url.username);
  await field('Password').fill(decodeURIComponent(url.password));
  await field('Schema').fill('console_rows');
  await field('TLS').selectOption('off');
}

/** Holds the lock of a table that a sync takes first, so that it does not end until the lock is released. */
async function holdTable(table: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: fleet.databaseUrl });
  await client.connect();
  await client.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [`tidemark:${table}`]);
  return () => client.end();
}

const LIST_OF_SYNCS = /\/v1\/destinations\/[^/]+\/syncs/;

/** Starts a sync of the open destination. The page shows it when the table is still held. */
async function startHeldSync(page: Page, table: string): Promise<() => Promise<void>> {
  const release = await holdTable(table);
  await page.getByRole('button', { name: 'Sync now: Rows' }).click();
  await page
    .getByRole('table')
    .getByText(/^(waits|runs)$/)
    .waitFor();
  return release;
}

/** Checks that the progress of a sync reaches the page by its events, and by polling where the server refuses the events. */
async function followSyncs(page: Page, table: string): Promise<void> {
  const done = page.getByRole('table').getByText('done', { exact: true });
  const ended = await done.count();
  const release = await startHeldSync(page, table);
  // From now on only an event can change the page: the list does not answer.
  const held: Route[] = [];
  await page.route(LIST_OF_SYNCS, (route) => void held.push(route));
  await release();
  await done.nth(ended).waitFor();
  await page.unroute(LIST_OF_SYNCS);
  await Promise.all(held.map((route) => route.continue().catch(() => undefined)));
  await page.route(/\/v1\/syncs\/[^/]+\/events/, (route) => route.fulfill({ status: 503, body: '' }));
  const refused = page.waitForResponse(/\/v1\/syncs\/[^/]+\/events/);
  const releaseAgain = await startHeldSync(page, table);
  await refused;
  await releaseAgain();
  await done.nth(ended + 1).waitFor();
}

describe.each(['light', 'dark'] as const)('the exports of a project (%s)', (theme) => {
  it('are downloaded by one click, and with chosen columns and a query by the dialog', async () => {
    const { page, context, problems } = await openPage(browser, { theme });
    await keepingScreenshot(page, `exports ${theme}`, async () => {
      await signIn(page, fleet.url, watched.person.email);
      await page.goto(`${fleet.url}/projects/${watched.project}/exports`);
      await page.getByRole('link', { name: 'Download pages' }).waitFor();
      const clicks = await countedClicks(page);
      const whole = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Download pages' }).click();
      expect(
        readFileSync(await (await whole).path(), 'utf8')
          .trim()
          .split('\n').length,
      ).toBeGreaterThan(3);
      expect(await clicks()).toBe(1);
      await page.getByRole('button', { name: 'Options of pages' }).click();
      await page.getByLabel('Format', { exact: true }).selectOption('csv');
      await page.getByLabel('Only pages that match').fill('title:Prices');
      await page.getByLabel('url', { exact: true }).check();
      await page.getByLabel('words', { exact: true }).check();
      const chosen = page.waitForEvent('download');
      await page.getByRole('dialog').getByRole('link', { name: 'Download' }).click();
      const [head, row, ...more] = readFileSync(await (await chosen).path(), 'utf8')
        .trim()
        .split('\r\n');
      expect([head, more]).toEqual(['"url","words"', []]);
      expect(row).toContain('/prices"');
    });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('are written to a database: connection with its test, columns with live rows, syncs with live progress', async () => {
    const table = `rows_${theme}`;
    const { page, context, problems } = await openPage(browser, { theme });
    await keepingScreenshot(page, `destination ${theme}`, async () => {
      await signIn(page, fleet.url, watched.person.email);
      await page.goto(`${fleet.url}/connections/new`);
      await page.getByRole('link', { name: 'PostgreSQL', exact: true }).click();
      await fillConnection(page);
      await page.getByRole('button', { name: 'Create and test' }).click();
      await page.getByText('Rows can be written').waitFor();
      expect(await page.getByRole('img', { name: 'works' }).count()).toBeGreaterThanOrEqual(4);
      expect(await flawsOf(page)).toEqual([]);
      await page.getByRole('link', { name: 'New destination with it' }).click();
      await page.getByRole('heading', { name: 'New destination', exact: true }).waitFor();
      await page.getByLabel('Name', { exact: true }).fill('Rows');
      await page.getByLabel('Table', { exact: true }).fill(table);
      await page.getByLabel('Which columns are written').selectOption('computed');
      await page.getByRole('button', { name: 'Add a column' }).click();
      await page.getByLabel('Name of column 1').fill('address');
      await page.getByLabel('Expression of column 1').fill('nothing');
      await page.locator('[aria-invalid=true]').waitFor();
      await page.getByLabel('Expression of column 1').fill('url');
      await page.getByRole('columnheader', { name: 'address (text)' }).waitFor();
      await page.getByLabel('Only rows where').fill('title == "Prices"');
      await page.getByText('1 row of').waitFor();
      expect(await flawsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Create the destination' }).click();
      await page.getByRole('heading', { name: 'Rows', exact: true }).waitFor();
      const clicks = await countedClicks(page);
      await page.getByRole('button', { name: 'Sync now: Rows' }).click();
      await page.getByRole('table').getByText('done').waitFor();
      expect(await clicks()).toBe(1);
      const rows = await fleet.sql<{ address: string }>(`SELECT address FROM console_rows.${table}`);
      expect(rows).toEqual([{ address: `${watched.site.origin}/prices` }]);
      await followSyncs(page, table);
    });
    // The browser reports the refused expression and the refused events.
    expect(problems.filter((problem) => !/status of (400|422|503)/.test(problem))).toEqual([]);
    await context.close();
  });
});
