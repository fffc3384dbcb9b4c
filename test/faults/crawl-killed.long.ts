import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type OwnFleet, serviceOf } from '../harness/fleet.ts';
import { startWeb } from '../web/server.ts';
import { expectCrawlWell } from './crawl-invariants.ts';
import { startCrawl, untilDone, untilEnded } from './crawls.ts';
import { startFaultyFleet, WELCOME_CREDITS } from './invariants.ts';

const web = await startWeb();
let fleet: OwnFleet;

beforeAll(async () => {
  fleet = await startFaultyFleet();
}, 90_000);
afterAll(async () => {
  await fleet?.close();
  await web.close();
}, 30_000);

const PAGES = 150;
/** Concurrent fetches. */
const CONCURRENCY = 4;

test('crawl and scrape killed in the middle of a crawl: it completes, and each page is stored and charged once', async () => {
  const workspace = await fleet.workspaces.make();
  const urls = Array.from({ length: PAGES }, (_, n) => web.url(`/article?n=${n}`));
  const order = { url: web.url('/'), crawlMode: 'list_only', concurrency: CONCURRENCY, delay: 15 };
  const id = await startCrawl(workspace.writer, { ...order, config: { url_list: urls } });
  await untilDone(fleet, id, PAGES / 3);
  await Promise.all([serviceOf(fleet, 'crawl').kill('SIGKILL'), serviceOf(fleet, 'scrape').kill('SIGKILL')]);
  await Promise.all([serviceOf(fleet, 'crawl').restart(), serviceOf(fleet, 'scrape').restart()]);

  await untilEnded(fleet, id, 60_000);
  const rows = await expectCrawlWell(fleet, workspace, { id });
  expect(rows.map(({ url }) => url).toSorted()).toEqual(urls.toSorted());
  expect((await workspace.reader.credits()).remaining).toBe(WELCOME_CREDITS - PAGES);
  // A page whose response was not published when its process died is fetched again.
  expect(web.hits('/article').length).toBeLessThanOrEqual(PAGES + CONCURRENCY * 3);
}, 100_000);
