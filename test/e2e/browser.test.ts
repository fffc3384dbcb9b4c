import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sharedFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const web = await startWeb();
let workspace: Workspace;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
});
afterAll(async () => {
  await web.close();
  await fleet.close();
});

test('a client-rendered page is fetched by http, found empty, and rendered for five credits', async () => {
  const { page, job } = await workspace.writer.capture(web.url('/app-shell'));
  expect(page).toMatchObject({ verdict: 'ok', tier: 'browser', method: 'browser', credits: 5, title: 'Tide tables' });
  expect(page.markdown).toContain('High water at Harlow Point comes at six');
  expect(web.hits('/app-data.json').length).toBe(1);
  expect(job.creditsUsed).toBe(5);
  await until('the charge', async () => (await workspace.reader.credits()).remaining === 995);
});

test('render_js always starts with the browser, at the price of the browser', async () => {
  const before = web.hits('/server-rendered').length;
  const { page } = await workspace.writer.capture(web.url('/server-rendered'), { config: { render_js: 'always' } });
  expect(page).toMatchObject({ verdict: 'ok', tier: 'browser', credits: 5 });
  expect(web.hits('/server-rendered').length).toBe(before + 1);
});

test('the rawHtml of a rendered page is the document after its scripts ran', async () => {
  const { page } = await workspace.writer.capture(web.url('/app-shell'), { formats: 'rawHtml' });
  expect(page.html).toContain('<h1>Tide tables for the week</h1>');
});

test('the browser reports redirects and statuses', async () => {
  const always = { config: { render_js: 'always' } };
  const moved = await workspace.writer.capture(web.url('/redirect/chain'), always);
  expect(moved.page).toMatchObject({ url: web.url('/article'), verdict: 'ok', tier: 'browser', httpStatus: 200 });
  const missing = await workspace.writer.capture(web.url('/status/404'), always);
  expect(missing.page).toMatchObject({ verdict: 'blocked', errorCode: 'NOT_FOUND', httpStatus: 404 });
  const silent = await workspace.writer.capture(web.url('/slow/silent'), {
    config: { render_js: 'always', timeout_seconds: 2 },
  });
  expect(silent.page).toMatchObject({ verdict: 'blocked', errorCode: 'TIMEOUT', credits: 0 });
});

test('eight concurrent renders all succeed', async () => {
  const pages = await Promise.all(
    Array.from({ length: 8 }, (_, i) => workspace.writer.capture(web.url(`/app-shell?n=${i}`))),
  );
  expect(pages.map(({ page }) => [page.verdict, page.tier])).toEqual(pages.map(() => ['ok', 'browser']));
});
