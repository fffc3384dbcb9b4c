import type { PageRow } from '@tidemark/api';
import type { SiteStats } from '@tidemark/bench/site';
import { work } from '@tidemark/contracts';
import type { OwnFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import { expectCrawlWell } from './crawl-invariants.ts';
import { doneOf, startCrawl, untilDone, untilEnded } from './crawls.ts';
import type { TestSite } from './test-site.ts';

/** Finished pages at the time of the fault. */
export const STRIKE_AT = 500;
const CONCURRENCY = 20;
/** Pages that a crawl has in flight to one host at most. */
const IN_FLIGHT_MOST = 3 * CONCURRENCY;
const ENDS_WITHIN_MS = 180_000;

/** Result of a crawl. */
export interface Course {
  readonly rows: readonly PageRow[];
  readonly seconds: number;
  /** Number of page requests to the site, repeats included; without robots.txt, sitemaps, assets and 429 or 503 responses. */
  readonly requested: number;
}

/** Result of a crawl with a fault. */
export interface Struck extends Course {
  /** Pages in flight just before the fault. */
  readonly inFlight: number;
  readonly downSeconds: number;
  /** Seconds since every process runs again: until a page was requested, and until a missing page had ended. */
  readonly fetchedAfterSeconds: number;
  readonly endedAfterSeconds: number;
}

export const orderOf = ({ base }: TestSite) => ({
  url: `${base}/`,
  limit: 10_000,
  concurrency: CONCURRENCY,
  scrapeOptions: { formats: ['markdown'] },
});

const OTHER_KINDS = ['robots', 'sitemap', 'feed', 'asset', 'data', 'app'];
/** Returns the number of page requests among all requests to the site. */
export const countRequestedPages = ({ byKind, limited429, flaky503 }: SiteStats): number =>
  Object.entries(byKind).reduce(
    (sum, [kind, count]) => (OTHER_KINDS.includes(kind) ? sum : sum + count),
    -limited429 - flaky503,
  );

/**
 * Pages that may be fetched twice because of a fault. A message that was not acknowledged is redelivered after `ackWaitSeconds`, and
 * then its pages are fetched again unless the crawl has recorded them. So every such window, from the fault until the crawl
 * records pages again, repeats at most what is in flight.
 */
export function refetchedMost({ downSeconds, endedAfterSeconds }: Struck): number {
  const windows = 1 + Math.floor((downSeconds + endedAfterSeconds) / work.page.ackWaitSeconds);
  return windows * IN_FLIGHT_MOST;
}

const secondsSince = (startedAtMs: number): number => (performance.now() - startedAtMs) / 1000;

/** Crawls the site in a separate workspace and runs `disturb` during the crawl. */
async function crawl<T>(
  fleet: OwnFleet,
  site: TestSite,
  meanwhile: (id: string) => Promise<T>,
): Promise<Course & { readonly met: T }> {
  await site.reset();
  const workspace = await fleet.workspaces.make();
  const startedAtMs = performance.now();
  const id = await startCrawl(workspace.writer, orderOf(site));
  const met = await meanwhile(id);
  await untilEnded(fleet, id, ENDS_WITHIN_MS);
  const seconds = secondsSince(startedAtMs);
  const rows = await expectCrawlWell(fleet, workspace, { id });
  expectTruth(rows, site);
  const stats = await site.stats();
  if (stats.robotsViolations > 0) throw new Error(`${stats.robotsViolations} pages were read against robots.txt`);
  return { rows, seconds, requested: countRequestedPages(stats), met };
}

/** Runs a crawl without a fault. */
export const crawlCalmly = (fleet: OwnFleet, site: TestSite): Promise<Course> =>
  crawl(fleet, site, async () => undefined);

/** Runs a crawl with a fault in its middle. The fault ends when every process runs again. */
export async function crawlThrough(
  fleet: OwnFleet,
  site: TestSite,
  fault: (fleet: OwnFleet) => Promise<void>,
): Promise<Struck> {
  const { met, ...course } = await crawl(fleet, site, async (id) => {
    await untilDone(fleet, id, STRIKE_AT);
    const [run] = await fleet.sql<{ pages: number }>('SELECT in_flight AS pages FROM crawl.runs WHERE id = $1', [id]);
    const struckAtMs = performance.now();
    await fault(fleet);
    const downSeconds = secondsSince(struckAtMs);
    return { inFlight: run?.pages ?? 0, downSeconds, ...(await firstAfter(fleet, site, id)) };
  });
  return { ...course, ...met };
}

async function firstAfter(fleet: OwnFleet, site: TestSite, id: string) {
  const sinceMs = performance.now();
  const [done, { requests }] = await Promise.all([doneOf(fleet, id), site.stats()]);
  const [fetchedAfterSeconds, endedAfterSeconds] = await Promise.all([
    until('a request for a page', async () => (await site.stats()).requests > requests && secondsSince(sinceMs), {
      withinMs: ENDS_WITHIN_MS,
    }),
    until('a page to end', async () => (await doneOf(fleet, id)) > done && secondsSince(sinceMs), {
      withinMs: ENDS_WITHIN_MS,
    }),
  ]);
  return { fetchedAfterSeconds, endedAfterSeconds };
}

/** Checks that every reachable page has a row, no other page was fetched, and no page disallowed by robots.txt was fetched. */
function expectTruth(rows: readonly PageRow[], { reachable, disallowed }: TestSite): void {
  const answered = new Set(rows.filter(({ httpStatus }) => httpStatus === 200).map(({ url }) => url));
  const missed = [...reachable].filter((url) => !answered.has(url));
  const invented = [...answered].filter((url) => !reachable.has(url));
  const forbidden = rows.filter(({ url, verdict }) => disallowed.has(url) && verdict !== 'robots');
  if (missed.length + invented.length + forbidden.length > 0)
    throw new Error(
      `${missed.length} pages missed (${missed.slice(0, 5).join(', ')}), ${invented.length} unknown ` +
        `(${invented.slice(0, 5).join(', ')}), ${forbidden.length} that robots.txt disallows`,
    );
}

/** One line of the summary. */
export function lineOf(name: string, struck: Struck, calm: Course): string {
  const { seconds, downSeconds, fetchedAfterSeconds, endedAfterSeconds, inFlight, requested, rows } = struck;
  const factor = seconds / calm.seconds;
  const refetched = Math.max(0, requested - calm.requested);
  const seen = (value: number, isMet: boolean, text: string): string =>
    `${text.replace('#', value.toFixed(1))}${isMet ? '' : ' (missed)'}`;
  return [
    name.padEnd(44),
    `${rows.length} rows`,
    seen(downSeconds, true, 'down # s'),
    seen(fetchedAfterSeconds, fetchedAfterSeconds <= 10, 'then first fetch # s'),
    seen(endedAfterSeconds, endedAfterSeconds <= 10, 'first new page # s'),
    seen(seconds, true, 'total # s'),
    seen(factor, factor <= 1.3, '# x calm'),
    `${refetched} refetched of ${refetchedMost(struck)}, ${inFlight} in flight${refetched <= refetchedMost(struck) ? '' : ' (missed)'}`,
  ].join('  ');
}
