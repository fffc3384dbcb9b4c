import type { PageRow } from '@tidemark/api';
import type { Api } from '../../test/harness/api.ts';
import type { SiteStats } from '../site/counters.ts';
import { type Site, startSite } from '../site/start-site.ts';
import type { SiteScore } from '../site/truth.ts';
import { type Cost, costOf, memoryMbOf } from './cost.ts';
import { crawleeFolder, runCrawlee } from './crawlee.ts';
import { processesOf } from './fleet.ts';
import { type PostgresCost, statementsIn, watchPostgres } from './postgres.ts';
import { crawlOnce, type EndedCrawl, rowsOf } from './run.ts';
import type { Rival } from './scoreboard.ts';
import { type Bench, head, isUneven, kindIn, showCost } from './settings.ts';

/** Pages of the warm-up crawl, on another site: V8 compiles during the first seconds of a process. */
const WARM_UP_PAGES = 1_500;
/** Number of slowest statements shown. */
const SHOWN = 8;

/** Threads that use less are not shown, CPU ms a page. */
const LEAST_SHOWN_MS = 0.02;

/** A whole crawl of a site, its result and its cost. */
export interface MeasuredCrawl {
  readonly crawl: EndedCrawl;
  readonly cost: Cost;
  readonly database: PostgresCost;
  readonly score: SiteScore;
  readonly stats: SiteStats;
  readonly rows: readonly PageRow[];
  /** Memory of each process at the end of the crawl, MB of PSS. */
  readonly memoryMb: ReadonlyMap<string, number>;
}

/** Crawls the site once for a workspace. The rows are read after the timed part, as for the rivals. */
export async function measureCrawl(bench: Bench, api: Api, site: Site): Promise<MeasuredCrawl> {
  const { fleet, counted, concurrency } = bench;
  await site.reset();
  const spent = await watchPostgres(fleet, counted);
  const order = { url: `${site.base}/`, concurrency };
  const watched = processesOf(fleet);
  const { value: crawl, cost } = await costOf(watched, [site.pid], () => crawlOnce(api, order));
  const database = await spent();
  const memoryMb = new Map(watched.map((one) => [one.name, memoryMbOf([one])]));
  const [score, stats] = [await site.score(), await site.stats()];
  return { crawl, cost, database, score, stats, rows: await rowsOf(api, crawl.id), memoryMb };
}

interface RivalRun {
  readonly pages: number;
  readonly cost: Cost;
  readonly score: SiteScore;
  readonly stats: SiteStats;
}

async function rivalRun(bench: Bench, site: Site): Promise<RivalRun | undefined> {
  const folder = await crawleeFolder(bench.crawlee);
  if (folder === undefined) return undefined;
  const { result, cost } = await runCrawlee(folder, site, bench.concurrency, true);
  const run = { pages: result.pages, cost, score: await site.score(), stats: await site.stats() };
  showCost('Crawlee, kept', run.pages, cost);
  return run;
}

/** Runs the first crawl of a fresh fleet. It is printed and not compared. */
async function warmUp({ fleet, concurrency }: Bench, api: Api): Promise<void> {
  const site = await startSite({ pages: WARM_UP_PAGES, prewarm: true });
  try {
    const order = { url: `${site.base}/`, concurrency };
    const { value, cost } = await costOf(processesOf(fleet), [site.pid], () => crawlOnce(api, order));
    showCost('Tidemark, just started', value.pages, cost);
  } finally {
    site.stop();
  }
}

/** Crawls the whole site over plain http, next to Crawlee storing the same. */
export async function runFirst(bench: Bench, api: Api, site: Site): Promise<MeasuredCrawl> {
  head(`first: a site of ${bench.pages} pages over plain http`);
  const idleMb = memoryMbOf(processesOf(bench.fleet));
  const rival = await rivalRun(bench, site);
  await warmUp(bench, api);
  const tidemark = await measureCrawl(bench, api, site);
  showCost('Tidemark, whole fleet', tidemark.crawl.pages, tidemark.cost);
  showDetails(tidemark);
  addFigures(bench, tidemark, rival, idleMb);
  return tidemark;
}

function showDetails({ crawl, cost, database, score, stats, rows, memoryMb }: MeasuredCrawl): void {
  const a = (ms: number): string => (ms / Math.max(1, crawl.pages)).toFixed(2);
  const parts = [...cost.cpuMsByName].map(([name, ms]) => `${name} ${a(ms)}`);
  console.log(`  CPU ms a page: ${parts.join(', ')}`);
  for (const [name, threads] of cost.cpuMsByThread) {
    const shown = [...threads].filter(([, ms]) => ms / Math.max(1, crawl.pages) >= LEAST_SHOWN_MS);
    if (threads.size > 1 && shown.length > 0)
      console.log(`    threads of ${name}: ${shown.map(([thread, ms]) => `${thread} ${a(ms)}`).join(', ')}`);
  }
  const weights = [...memoryMb].map(([name, mb]) => `${name} ${mb.toFixed(0)}`);
  console.log(`  MB at the end: ${weights.join(', ')}`);
  const pools = [...database.cpuMs].filter(([, ms]) => ms > 0).map(([name, ms]) => `${name} ${a(ms)}`);
  const queries = statementsIn(database);
  console.log(
    `  postgres ms a page by service: ${pools.join(', ')}; statements ${queries === undefined ? 'not counted' : a(queries)}, transactions ${a(database.transactions)}`,
  );
  for (const { text, times, ms } of database.statements?.slice(0, SHOWN) ?? [])
    console.log(`    ${a(ms)} ms in ${a(times)} x ${text.replaceAll(/\s+/g, ' ').slice(0, 110)}`);
  const kinds = Object.entries(score.byKind).map(([name, { got, of }]) => `${name} ${got}/${of}`);
  console.log(`  recall: ${kinds.join(', ')}`);
  if (score.recall < 1) console.log(`  missed, for example: ${score.missed.slice(0, 5).join(' ')}`);
  console.log(
    `  ended ${crawl.status} (${crawl.stop}), rows ${rows.length}; the site: ${stats.requests} requests, ${stats.repeated} of them again, ` +
      `peak in flight ${stats.peakInFlight}, ${stats.limited429} x 429, ${stats.flaky503} x 503; ${JSON.stringify(stats.byKind)}`,
  );
}

const duplicatesIn = (rows: readonly PageRow[]): number => rows.length - new Set(rows.map(({ url }) => url)).size;

/** Returns repeated requests that are neither retries after a 503 or 429 nor redirects to a known page. */
function refetchesOf({ repeated, byKind, limited429, flaky503 }: SiteStats): number {
  return Math.max(0, repeated - limited429 - flaky503 - (byKind['redirect'] ?? 0));
}

function addFigures(
  { board, pages }: Bench,
  tidemark: MeasuredCrawl,
  rival: RivalRun | undefined,
  idleMb: number,
): void {
  const { crawl, cost, database, score, stats, rows } = tidemark;
  const rivalOf = (value: (run: RivalRun) => number): Rival | undefined =>
    rival && { name: 'Crawlee', value: value(rival) };
  const perPage = (ms: number): number => ms / Math.max(1, crawl.pages);
  const recallOf = (of: SiteScore, kind: string): number => {
    const { got, of: all } = kindIn(of, kind);
    return got / Math.max(1, all);
  };
  const pool = (name: string): number => database.cpuMs.get(name) ?? 0;
  const speed = rivalOf((run) => run.pages / run.cost.seconds);
  board.add(
    'speed',
    crawl.pages / cost.seconds,
    speed && { ...speed, uneven: rival !== undefined && isUneven(cost, rival.cost) },
  );
  board.add(
    'cpu',
    perPage(cost.cpuMs),
    rivalOf((run) => run.cost.cpuMs / Math.max(1, run.pages)),
  );
  board.add(
    'memory',
    Math.round(cost.peakMb),
    rivalOf((run) => Math.round(run.cost.peakMb)),
  );
  board.add('idle', Math.round(idleMb));
  board.add(
    'recall',
    score.recall,
    rivalOf((run) => run.score.recall),
  );
  board.add(
    'recallLimited',
    recallOf(score, 'limited'),
    rivalOf((run) => recallOf(run.score, 'limited')),
  );
  board.add(
    'recallFlaky',
    recallOf(score, 'flaky'),
    rivalOf((run) => recallOf(run.score, 'flaky')),
  );
  board.add('duplicates', duplicatesIn(rows));
  board.add(
    'refetches',
    refetchesOf(stats),
    rivalOf((run) => refetchesOf(run.stats)),
  );
  board.add(
    'robots',
    stats.robotsViolations,
    rivalOf((run) => run.stats.robotsViolations),
  );
  board.add('frontier', perPage(pool('crawl')));
  board.add('storage', perPage(pool('archive') + pool('scrape')));
  const queries = statementsIn(database);
  if (queries !== undefined) board.add('queries', perPage(queries));
  if (pages !== 5_000) console.log(`  (goals are set for 5,000 pages, this site has ${pages})`);
}
