/**
 * Reads 120 plain pages and 30 that scripts write, mixed, with `render_js` auto: counts the browser runs.
 *
 *   npm run bench -- ladder [--no-crawlee]
 */
import { parseArgs } from 'node:util';
import { BrowserPoolServiceService as BrowserPool } from '@tidemark/contracts/browser/v1/browser';
import pLimit from 'p-limit';
import { chromiumPath } from '../../deploy/local/parts/chromium.ts';
import { TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import type { Api } from '../../test/harness/api.ts';
import type { OwnFleet } from '../../test/harness/fleet.ts';
import { type Cost, costOf } from '../crawl/cost.ts';
import { CRAWLEE, installPeers, runPeer } from '../crawl/crawlee.ts';
import { processesOf, startBenchFleet } from '../crawl/fleet.ts';
import { type Rival, Scoreboard } from '../crawl/scoreboard.ts';
import { head, isUneven, showCost } from '../crawl/settings.ts';
import { hasPeers, PEERS, type Site, startSite } from '../crawl/site.ts';
import { notMeasured } from '../shared/not-measured.ts';

const HELP = `npm run bench -- ladder [--no-crawlee]

Reads 120 plain and 30 script-rendered pages through POST /scrape with render_js auto, four at once, next to Crawlee's
AdaptivePlaywrightCrawler on the same addresses. Prints right pages, browser runs and pages/s.`;

const PLAIN = 120;
const SCRIPTED = 30;
/** The rival's selection of plain pages, so that both crawlers read the same pages. */
const EVERY = 37;
const FROM = 5;
const AT_ONCE = 4;
const SITE_PAGES = '5000';

const { values } = parseArgs({
  options: { crawlee: { type: 'boolean', default: true }, help: { type: 'boolean', default: false } },
  allowNegative: true,
});

interface Truth {
  readonly pages: readonly { readonly url: string; readonly title?: string }[];
}

/** Returns the URLs in the order of the rival's runner: an application after every four plain pages at most. */
async function addressesOf(site: Site): Promise<string[]> {
  const plain = (await site.urls('kind=page')).filter((_, at) => at % EVERY === FROM).slice(0, PLAIN);
  const scripted = (await site.urls('kind=app&reach=all')).slice(0, SCRIPTED);
  const mixed: string[] = [];
  for (let at = 0; at < Math.max(plain.length, scripted.length * 4); at += 1)
    mixed.push(...[plain[at], at % 4 === 0 ? scripted[at / 4] : undefined].filter((url) => url !== undefined));
  return mixed;
}

interface Read {
  readonly url: string;
  readonly tier: string | null;
  readonly right: boolean;
  readonly verdict: string;
}

const wordsOf = (text: string): string => text.replaceAll(/[\\*_`]/g, '').replaceAll(/\s+/g, ' ');

/** Reads one page. The result is right if it contains the page's headline, which an application's shell does not have. */
async function readOne(api: Api, url: string, title: string | undefined): Promise<Read> {
  const { page } = await api.capture(url, { formats: 'markdown', config: { render_js: 'auto' } });
  const text = wordsOf(`${page.markdown ?? ''}`);
  const right = title !== undefined && page.verdict === 'ok' && text.includes(wordsOf(title));
  return { url, tier: page.tier, right, verdict: `${page.verdict} ${page.errorCode} ${page.tier}: ${page.reason}` };
}

function readAll(api: Api, urls: readonly string[], titles: ReadonlyMap<string, string>): Promise<Read[]> {
  return pLimit(AT_ONCE).map(urls, (url) => readOne(api, url, titles.get(url)));
}

async function titlesOf(site: Site): Promise<Map<string, string>> {
  const { pages }: Truth = JSON.parse(await site.text('/__truth.json'));
  return new Map(pages.flatMap(({ url, title }) => (title === undefined ? [] : [[url, title] as const])));
}

/** Returns the number of pages the fleet's browsers have rendered so far. */
async function renderedBy(fleet: OwnFleet): Promise<number> {
  const peer = fleet.dial('browser-pool');
  try {
    return Number((await peer.call(BrowserPool.status, {}, { requestId: 'bench' })).rendered);
  } finally {
    await peer.close();
  }
}

interface LadderResult {
  readonly right: number;
  readonly runs: number;
  readonly perSecond: number;
  readonly cost: Cost;
}

async function runRival(site: Site, pages: number): Promise<LadderResult | undefined> {
  if (!values.crawlee || !installPeers([...CRAWLEE, 'playwright-core@1'])) return undefined;
  const browser = await chromiumPath(TOOLS_DIR, () => undefined);
  try {
    const adapt = (text: string): string => text.replaceAll('/usr/bin/chromium', browser);
    const { result, cost } = await runPeer(site, 'crawlee-adaptive.mjs', [], adapt);
    showCost('Crawlee adaptive', pages, cost);
    console.log(`  ${JSON.stringify(result)}`);
    return { right: result.right ?? 0, runs: result.browser ?? 0, perSecond: pages / result.seconds, cost };
  } catch (error) {
    notMeasured('Crawlee adaptive', String(error).slice(0, 400));
    return undefined;
  }
}

async function runTidemark(site: Site, urls: readonly string[], board: Scoreboard, rival: LadderResult | undefined) {
  const fleet = await startBenchFleet([
    'identity',
    'billing',
    'archive',
    'browser-pool',
    'scrape',
    'map',
    'crawl',
    'gateway',
  ]);
  try {
    const { admin } = await fleet.workspaces.make();
    const titles = await titlesOf(site);
    await site.reset();
    const before = await renderedBy(fleet);
    const { value: reads, cost } = await costOf(processesOf(fleet), [site.pid], () => readAll(admin, urls, titles));
    const runs = (await renderedBy(fleet)) - before;
    showCost('Tidemark, whole fleet', reads.length, cost);
    for (const { url, verdict } of reads.filter(({ right }) => !right).slice(0, 5))
      console.log(`  not right: ${url} ${verdict}`);
    const climbed = (await readOne(admin, `${site.base}/zoo/ssr-app`, undefined)).tier === 'http' ? 0 : 1;
    const rivalOf = (value: number | undefined): Rival | undefined =>
      value === undefined ? undefined : { name: 'Crawlee adaptive', value };
    board.add('ladderRight', reads.filter(({ right }) => right).length, rivalOf(rival?.right));
    board.add('ladderRuns', runs, rivalOf(rival?.runs));
    const speed = rivalOf(rival?.perSecond);
    board.add(
      'ladderSpeed',
      reads.length / cost.seconds,
      speed && { ...speed, uneven: rival !== undefined && isUneven(cost, rival.cost) },
    );
    board.add('ladderServer', climbed);
  } finally {
    await fleet.close();
  }
}

async function main(): Promise<void> {
  if (!hasPeers()) {
    return notMeasured('ladder', `the peers' site server is not at ${PEERS}`);
  }
  const site = await startSite(['--pages', SITE_PAGES]);
  try {
    const urls = await addressesOf(site);
    head(`ladder: ${urls.length} pages, ${SCRIPTED} of them written by scripts`);
    const board = new Scoreboard();
    const rival = await runRival(site, urls.length);
    await runTidemark(site, urls, board, rival);
    board.print();
  } finally {
    site.stop();
  }
}

if (values.help) console.log(HELP);
else await main();
