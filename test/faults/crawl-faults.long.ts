import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ServiceName } from '../../deploy/local/stack.ts';
import { type OwnFleet, serviceOf } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import {
  type Course,
  countRequestedPages,
  crawlCalmly,
  crawlThrough,
  lineOf,
  orderOf,
  refetchedMost,
  STRIKE_AT,
} from './crawl-faults.ts';
import { expectCrawlWell } from './crawl-invariants.ts';
import { doneOf, readCrawl, startCrawl, untilDone, untilEnded } from './crawls.ts';
import { startFaultyFleet } from './invariants.ts';
import { startTestSite, type TestSite } from './test-site.ts';

const PAGES = 2_000;
const LIMIT_MS = 400_000;
const QUIET_MS = 3_000;
/** Longest time until a crawl continues once every process runs again. */
const RESUMES_WITHIN_SECONDS = 10;

const site = await startTestSite({ pages: PAGES });
/** Prints at once, because the whole test takes minutes. */
const print = (line: string): void => void process.stdout.write(`${line}\n`);
let fleet: OwnFleet;
let calm: Course | undefined;

beforeAll(async () => {
  // Credit leases expire as late as in production, so that a lease that is not released is detected.
  fleet = await startFaultyFleet({ LEASE_SECONDS: '900' });
}, 120_000);
afterAll(async () => {
  await fleet?.close();
  site.close();
}, 60_000);

/** The baseline crawl. */
async function undisturbed(at: TestSite): Promise<Course> {
  calm ??= await crawlCalmly(fleet, at);
  return calm;
}

const killed = (name: ServiceName) => async (): Promise<void> => {
  await serviceOf(fleet, name).kill('SIGKILL');
  await serviceOf(fleet, name).restart();
};
const partKilled = (name: 'nats' | 'postgres' | 'redis') => async (): Promise<void> => {
  await fleet.stack.parts[name].kill('SIGKILL');
  await fleet.stack.parts[name].restart();
};

async function natsWiped(): Promise<void> {
  await fleet.stack.parts.nats.kill('SIGKILL');
  rmSync(join(fleet.dataDir, 'nats/jetstream'), { recursive: true });
  await fleet.stack.parts.nats.restart();
}

async function scrapeKilledWithoutPostgres(): Promise<void> {
  await fleet.stack.parts.postgres.kill('SIGKILL');
  await serviceOf(fleet, 'scrape').kill('SIGKILL');
  await fleet.stack.parts.postgres.restart();
  await serviceOf(fleet, 'scrape').restart();
}

/** Work that scrape held is in no queue either. */
async function scrapeKilledWithItsWork(): Promise<void> {
  await serviceOf(fleet, 'scrape').kill('SIGKILL');
  await natsWiped();
  await serviceOf(fleet, 'scrape').restart();
}

/** Resolves when the site had no request for longer than the longest gap between two requests of a running crawl. */
const untilQuiet = (at: TestSite): Promise<unknown> =>
  until(
    'the site to be quiet',
    async () => {
      const { lastAtMs, inFlight } = await at.stats();
      return inFlight === 0 && Date.now() - lastAtMs > QUIET_MS;
    },
    { withinMs: 20_000 },
  );

describe(`a crawl of ${PAGES} pages`, () => {
  crawlsThroughFaults(site);
  steeredCrawls(site);
});

function crawlsThroughFaults(at: TestSite): void {
  test(
    'without a fault finds every page once',
    async () => {
      const cold = await crawlCalmly(fleet, at);
      const warm = await undisturbed(at);
      print(
        `\nundisturbed: ${warm.seconds.toFixed(1)} s with warm services, against which the others are measured; ` +
          `${cold.seconds.toFixed(1)} s with cold ones; ${warm.rows.length} rows, ${warm.requested} pages requested\n` +
          `a fault comes after ${STRIKE_AT} pages; "down" is the kill and the restart, and is part of the total`,
      );
    },
    LIMIT_MS,
  );

  test.each<readonly [string, () => Promise<void>]>([
    ['crawl killed', killed('crawl')],
    ['scrape killed', killed('scrape')],
    ['the archive killed', killed('archive')],
    ['the browser pool killed', killed('browser-pool')],
    ['billing killed', killed('billing')],
    ['NATS killed', partKilled('nats')],
    ['Postgres killed', partKilled('postgres')],
    ['Redis killed', partKilled('redis')],
    ['NATS killed and its disk lost', natsWiped],
    ['scrape and Postgres killed together', scrapeKilledWithoutPostgres],
    ['scrape killed, and NATS with its disk', scrapeKilledWithItsWork],
  ])(
    'with %s finds every page once, continues soon, and is charged once per page',
    async (name, fault) => {
      const without = await undisturbed(at);
      const struck = await crawlThrough(fleet, at, fault);
      print(lineOf(name, struck, without));
      expect(struck.fetchedAfterSeconds).toBeLessThan(RESUMES_WITHIN_SECONDS);
      expect(struck.endedAfterSeconds).toBeLessThan(RESUMES_WITHIN_SECONDS);
      // No page may wait until it counts as lost, which takes minutes.
      expect(struck.seconds).toBeLessThan(2 * without.seconds + 60);
      expect(struck.requested - without.requested).toBeLessThanOrEqual(refetchedMost(struck));
    },
    LIMIT_MS,
  );
}

function steeredCrawls(at: TestSite): void {
  test(
    'cancelled in the middle sends no request two seconds later, keeps its pages, and is charged for no other',
    async () => {
      await at.reset();
      const workspace = await fleet.workspaces.make();
      const id = await startCrawl(workspace.writer, orderOf(at));
      await untilDone(fleet, id, STRIKE_AT);
      const cancelledAtMs = Date.now();
      expect((await workspace.writer.delete(`/crawl/${id}`)).status).toBe(200);
      await untilQuiet(at);
      const lastAfterMs = (await at.stats()).lastAtMs - cancelledAtMs;
      print(`cancelled: last page requested ${lastAfterMs} ms after DELETE`);
      expect(lastAfterMs).toBeLessThanOrEqual(2_000);
      const rows = await expectCrawlWell(fleet, workspace, { id, status: 'cancelled', stop: 'cancelled' });
      expect(rows.length).toBeGreaterThanOrEqual(STRIKE_AT);
    },
    LIMIT_MS,
  );

  test(
    'paused in the middle sends no request two seconds later; resumed, it requests the rest and nothing twice',
    async () => {
      const without = await undisturbed(at);
      await at.reset();
      const workspace = await fleet.workspaces.make();
      const id = await startCrawl(workspace.writer, orderOf(at));
      await untilDone(fleet, id, STRIKE_AT);
      const pausedAtMs = Date.now();
      expect((await workspace.writer.post(`/crawl/${id}/pause`, {})).status).toBe(200);
      await untilQuiet(at);
      const { lastAtMs } = await at.stats();
      expect(lastAtMs - pausedAtMs).toBeLessThanOrEqual(2_000);
      expect(await readCrawl(workspace.reader, id)).toMatchObject({ status: 'running', paused: true });

      const done = await doneOf(fleet, id);
      const resumedAtMs = performance.now();
      expect((await workspace.writer.post(`/crawl/${id}/resume`, {})).status).toBe(200);
      await untilDone(fleet, id, done + 1);
      print(
        `paused: last page requested ${lastAtMs - pausedAtMs} ms after it; the next ended ` +
          `${(performance.now() - resumedAtMs).toFixed(0)} ms after it was resumed`,
      );
      await untilEnded(fleet, id, 120_000);
      expect((await expectCrawlWell(fleet, workspace, { id })).length).toBe(without.rows.length);
      // The target of a redirect is also requested with its sources, if they come first.
      expect(countRequestedPages(await at.stats()) - without.requested).toBeLessThanOrEqual(10);
    },
    LIMIT_MS,
  );
}
