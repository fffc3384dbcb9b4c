import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { sharedFleet } from '../harness/fleet.ts';
import { keepingScreenshot, launchChromium, openPage, signIn } from './console-browser.ts';
import { PAGES } from './pages.ts';
import { type WatchedSite, watchSite } from './watched-site.ts';

/** Budgets of the console. */
const LCP_MS = 500;
const THROTTLED_LCP_MS = 2_000;
const LAZY_ROUTE_BYTES = 60 * 1_024;
/** Scripts of the first view after gzip. */
const FIRST_VIEW_BYTES = 130 * 1_024;
const FIRST_VIEW_SCRIPTS = 12;
/** Requests of the first view, with those of data. */
const FIRST_VIEW_REQUESTS = 15;
/** Cumulative layout shift; "good" is 0.1 (web.dev/cls). */
const LAYOUT_SHIFT = 0.02;
/** From a click or a key to the next frame, ms; "good" is 200 (web.dev/inp). */
const INTERACTION_MS = 100;
const INTERACTION_ROWS = 5_000;
/** A measurement on a shared machine is repeated; the best one counts. */
const TRIES = 5;
const ROWS = 100_000;

/** Scrolls the table through all rows in 60 jumps, one a frame. Its value is the time of each frame, ms. */
const JUMPS = `new Promise((resolve) => {
  const box = document.querySelector('table').parentElement;
  const times = [];
  let last = performance.now();
  const step = () => {
    const now = performance.now();
    times.push(now - last);
    last = now;
    box.scrollTop += box.scrollHeight / 60;
    if (times.length < 60) requestAnimationFrame(step);
    else resolve(times);
  };
  requestAnimationFrame(step);
})`;

const fleet = sharedFleet();
let watched: WatchedSite;
let browser: Browser;
let session: Awaited<ReturnType<BrowserContext['storageState']>>;
beforeAll(async () => {
  [watched, browser] = await Promise.all([watchSite(fleet), launchChromium()]);
  const { page, context } = await openPage(browser, { theme: 'light' });
  await signIn(page, fleet.url, watched.person.email);
  session = await context.storageState();
  await context.close();
}, 180_000);
afterAll(async () => {
  await browser?.close();
  watched?.site.close();
  await fleet.close();
});

/** Opens the overview in a browser without a cache. @returns the time of its largest contentful paint, ms */
async function measureLcp(prepare: (page: Page) => Promise<void>): Promise<number> {
  const context = await browser.newContext({ storageState: session, viewport: { width: 1360, height: 900 } });
  const page = await context.newPage();
  await prepare(page);
  await page.goto(`${fleet.url}/`);
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  await page.waitForLoadState('networkidle');
  const lcp = await page.evaluate(
    'new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({ type: "largest-contentful-paint", buffered: true }))',
  );
  await context.close();
  return Number(lcp);
}

/** Returns the best of some measurements; stops at the first within the budget. */
async function best(budgetMs: number, prepare: (page: Page) => Promise<void>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && least > budgetMs; tries += 1) least = Math.min(least, await measureLcp(prepare));
  return least;
}

/** A phone on a slow network: a fourth of the CPU, 1.6 Mbit/s, 150 ms. */
async function throttle(page: Page): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send('Network.enable');
  const bytesPerSecond = 1_600_000 / 8;
  await client.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  });
  await client.send('Emulation.setCPUThrottlingRate', { rate: 4 });
}

/** Returns the bytes of a script after gzip. */
async function gzipBytes(path: string): Promise<number> {
  const response = await fetch(new URL(path, fleet.url), { headers: { 'accept-encoding': 'gzip' } });
  await response.body?.cancel();
  return Number(response.headers.get('content-length'));
}

/** Answers the list of projects with as many as required. */
async function serveProjects(page: Page, count: number): Promise<void> {
  const { body } = await watched.person.get('/projects?limit=0');
  const [project] = (body as { data: object[] }).data;
  const data = Array.from({ length: count }, (_, at) => ({
    ...project,
    id: `prj_${at}`,
    name: `Site ${at}`,
    lastRun: null,
  }));
  const projects = JSON.stringify({ data, next: null, cursor: null, creditsUsed: 0, request_id: 'req_1' });
  await page.route('**/v1/projects?*', (route) => route.fulfill({ contentType: 'application/json', body: projects }));
}

/** Keeps the durations of interactions, ms, from the event to the next frame (Event Timing). */
const WATCH_INTERACTIONS = `window.__interactions = [];
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (entry.interactionId > 0) window.__interactions.push(entry.duration);
}).observe({ type: 'event', durationThreshold: 16 });`;

describe('the speed of the console', () => {
  it('shows the overview within 500 ms, and within 2 s on a slow phone without a cache', async () => {
    const here = await best(LCP_MS, async () => undefined);
    const throttled = await best(THROTTLED_LCP_MS, throttle);
    console.log(`largest contentful paint: ${Math.round(here)} ms, throttled ${Math.round(throttled)} ms`);
    expect(here).toBeLessThanOrEqual(LCP_MS);
    expect(throttled).toBeLessThanOrEqual(THROTTLED_LCP_MS);
  });

  it('loads the overview by few small scripts and requests, and does not move what it shows', async () => {
    const context = await browser.newContext({ storageState: session, viewport: { width: 1360, height: 900 } });
    const page = await context.newPage();
    const paths: string[] = [];
    page.on('request', (request) => paths.push(new URL(request.url()).pathname));
    await page.goto(`${fleet.url}/`);
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    await page.waitForLoadState('networkidle');
    const shift = Number(
      await page.evaluate(`new Promise((resolve) => {
        let sum = 0;
        const add = (entries) => { for (const entry of entries) if (!entry.hadRecentInput) sum += entry.value; };
        const observer = new PerformanceObserver((list) => add(list.getEntries()));
        observer.observe({ type: 'layout-shift', buffered: true });
        requestAnimationFrame(() => setTimeout(() => { add(observer.takeRecords()); resolve(sum); }));
      })`),
    );
    const scripts = [...new Set(paths)].filter((path) => path.endsWith('.js'));
    const bytes = (await Promise.all(scripts.map(gzipBytes))).reduce((sum, size) => sum + size, 0);
    console.log(
      `first view: ${(bytes / 1_024).toFixed(1)} KiB of scripts (gzip) in ${scripts.length} files, ${paths.length} requests, layout shift ${shift.toFixed(3)}`,
    );
    expect(bytes).toBeLessThanOrEqual(FIRST_VIEW_BYTES);
    expect(scripts.length).toBeLessThanOrEqual(FIRST_VIEW_SCRIPTS);
    expect(paths.length).toBeLessThanOrEqual(FIRST_VIEW_REQUESTS);
    expect(shift).toBeLessThanOrEqual(LAYOUT_SHIFT);
    await context.close();
  });

  it('loads at most 60 KB of scripts for a page beyond those of the first view', async () => {
    const { page, context } = await openPage(browser, { theme: 'light' });
    await context.addCookies(session.cookies);
    const loaded = new Set<string>();
    page.on('request', (request) => loaded.add(new URL(request.url()).pathname));
    const scriptsOf = async (path: string) => {
      loaded.clear();
      await page.goto(fleet.url + path.replace(/\{(\w+)\}/g, (_, name: string) => watched.ids[name] ?? ''));
      await page.waitForLoadState('networkidle');
      return [...loaded].filter((one) => one.endsWith('.js'));
    };
    const first = new Set(await scriptsOf('/'));
    const bytes = new Map<string, number>();
    for (const { path } of PAGES.filter(
      ({ path: one }, at, all) => all.findIndex((other) => other.path.split('?')[0] === one.split('?')[0]) === at,
    )) {
      const own = (await scriptsOf(path)).filter((one) => !first.has(one));
      bytes.set(
        path,
        (await Promise.all(own.map(gzipBytes))).reduce((sum, size) => sum + size, 0),
      );
    }
    expect([...bytes].filter(([, size]) => size > LAZY_ROUTE_BYTES)).toEqual([]);
    await context.close();
  });

  it('answers a key, a sort and a choice within 100 ms in a table of 5,000 rows', async () => {
    const { page, context, problems } = await openPage(browser, { theme: 'light' });
    await keepingScreenshot(page, 'interaction', async () => {
      await signIn(page, fleet.url, watched.person.email);
      await serveProjects(page, INTERACTION_ROWS);
      await page.goto(`${fleet.url}/projects`);
      await page.getByRole('table').getByText('Site 0', { exact: true }).waitFor();
      await page.waitForLoadState('networkidle');
      await page.evaluate(WATCH_INTERACTIONS);
      await page.getByRole('button', { name: 'Site', exact: true }).click();
      await page.getByLabel('Choose all').first().click();
      await page.getByRole('searchbox').pressSequentially('Site 4900', { delay: 150 });
      await page.getByRole('table').getByText('Site 4900', { exact: true }).waitFor();
      const times = await page.evaluate<number[]>('window.__interactions');
      const slowest = Math.max(0, ...times);
      console.log(`${INTERACTION_ROWS} rows: slowest of ${times.length} interactions above 16 ms: ${slowest} ms`);
      expect(slowest).toBeLessThanOrEqual(INTERACTION_MS);
    });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('scrolls a table of 100,000 rows with few of them in the document', async () => {
    const { page, context, problems } = await openPage(browser, { theme: 'light' });
    await keepingScreenshot(page, 'many rows', async () => {
      await signIn(page, fleet.url, watched.person.email);
      await serveProjects(page, ROWS);
      await page.goto(`${fleet.url}/projects`);
      const table = page.getByRole('table');
      await table.getByText('Site 0', { exact: true }).waitFor();
      expect(await table.getAttribute('aria-rowcount')).toBe(String(ROWS + 1));
      const box = page.getByRole('region', { name: 'Projects, table' });
      const frames = await page.evaluate<number[]>(JUMPS);
      const median = frames.sort((one, other) => one - other)[Math.floor(frames.length / 2)] ?? 0;
      await box.evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
      await table.getByText(`Site ${ROWS - 1}`, { exact: true }).waitFor();
      const rows = await table.locator('tbody tr').count();
      console.log(`${ROWS} rows: ${rows} in the document, median frame ${Math.round(median)} ms`);
      expect(rows).toBeLessThan(80);
      // A frame of a jump over 1,600 rows; a busy machine needs a multiple of the 17 ms of an idle one.
      expect(median).toBeLessThan(200);
    });
    expect(problems).toEqual([]);
    await context.close();
  });
});
