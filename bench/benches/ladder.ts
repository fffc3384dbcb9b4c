/**
 * Reads 120 plain pages and 30 that scripts write, mixed, with `render_js` auto: counts the browser runs.
 *
 *   npm run bench -- ladder [--crawlee | --no-crawlee]
 */
import { parseArgs } from 'node:util';
import { BrowserPoolServiceService as BrowserPool } from '@tidemark/contracts/browser/v1/browser';
import pLimit from 'p-limit';
import { chromiumPath } from '../../deploy/local/parts/chromium.ts';
import { TOOLS_DIR } from '../../deploy/local/stack-context.ts';
import type { Api } from '../../test/harness/api.ts';
import type { OwnFleet } from '../../test/harness/fleet.ts';
import { type Cost, costOf } from '../crawl/cost.ts';
import { CRAWLEE_HELP, crawleeFolder, crawleeUse, runAdaptive } from '../crawl/crawlee.ts';
import { processesOf, startBenchFleet } from '../crawl/fleet.ts';
import { type Rival, Scoreboard } from '../crawl/scoreboard.ts';
import { head, isUneven, showCost } from '../crawl/settings.ts';
import { notMeasured } from '../shared/not-measured.ts';
import { type Site, startSite } from '../site/start-site.ts';
import type { TruePage } from '../site/truth.ts';

const HELP = `npm run bench -- ladder [--crawlee | --no-crawlee]

Reads 120 plain and 30 script-rendered pages through POST /scrape with render_js auto, four at once, next to Crawlee's
AdaptivePlaywrightCrawler on the same URLs. Prints right pages, browser runs and pages/s.

${CRAWLEE_HELP}`;

const PLAIN = 120;
const SCRIPTED = 30;
/** Selection of the plain pages, over every level of the site. */
const EVERY = 37;
const FROM = 5;
const AT_ONCE = 4;
const SITE_PAGES = 5_000;

const { values } = parseArgs({
  options: { crawlee: { type: 'boolean' }, help: { type: 'boolean', default: false } },
  allowNegative: true,
});

/** A page to read and its headline. */
interface TitledPage {
  readonly url: string;
  readonly title: string | null;
}

/** Returns the pages to read: an application after every four plain pages. */
async function pagesOf(site: Site): Promise<TitledPage[]> {
  const { pages } = await site.truth();
  const titled = ({ path, title }: TruePage): TitledPage => ({ url: site.base + path, title });
  const plain = pages
    .filter(({ kind }) => kind === 'page')
    .filter((_, at) => at % EVERY === FROM)
    .slice(0, PLAIN);
  const scripted = pages.filter(({ kind }) => kind === 'app').slice(0, SCRIPTED);
  const groups = scripted.map((page, at) => [...plain.slice(4 * at, 4 * at + 4), page]);
  return [...groups.flat(), ...plain.slice(4 * scripted.length)].map(titled);
}

interface Read {
  readonly url: string;
  readonly tier: string | null;
  readonly right: boolean;
  readonly verdict: string;
}

const wordsOf = (text: string): string => text.replaceAll(/[\\*_`]/g, '').replaceAll(/\s+/g, ' ');

/** Reads one page. The result is right if it contains the page's headline, which an application's shell does not have. */
async function readOne(api: Api, { url, title }: TitledPage): Promise<Read> {
  const { page } = await api.capture(url, { formats: 'markdown', config: { render_js: 'auto' } });
  const text = wordsOf(`${page.markdown ?? ''}`);
  const right = title !== null && page.verdict === 'ok' && text.includes(wordsOf(title));
  return { url, tier: page.tier, right, verdict: `${page.verdict} ${page.errorCode} ${page.tier}: ${page.reason}` };
}

const readAll = (api: Api, pages: readonly TitledPage[]): Promise<Read[]> =>
  pLimit(AT_ONCE).map(pages, (page) => readOne(api, page));

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

async function runRival(site: Site, pages: readonly TitledPage[]): Promise<LadderResult | undefined> {
  const folder = await crawleeFolder(crawleeUse(values.crawlee));
  if (folder === undefined) return undefined;
  const browser = await chromiumPath(TOOLS_DIR, () => undefined);
  try {
    const { result, cost } = await runAdaptive(folder, site, browser, pages);
    showCost('Crawlee adaptive', pages.length, cost);
    console.log(`  ${JSON.stringify(result)}`);
    return { right: result.right ?? 0, runs: result.browser ?? 0, perSecond: pages.length / result.seconds, cost };
  } catch (error) {
    notMeasured('Crawlee adaptive', String(error).slice(0, 400));
    return undefined;
  }
}

async function runTidemark(
  site: Site,
  pages: readonly TitledPage[],
  board: Scoreboard,
  rival: LadderResult | undefined,
) {
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
    await site.reset();
    const before = await renderedBy(fleet);
    const { value: reads, cost } = await costOf(processesOf(fleet), [site.pid], () => readAll(admin, pages));
    const runs = (await renderedBy(fleet)) - before;
    showCost('Tidemark, whole fleet', reads.length, cost);
    for (const { url, verdict } of reads.filter(({ right }) => !right).slice(0, 5))
      console.log(`  not right: ${url} ${verdict}`);
    const climbed = (await readOne(admin, { url: `${site.base}/zoo/server-app`, title: null })).tier === 'http' ? 0 : 1;
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
  const site = await startSite({ pages: SITE_PAGES });
  try {
    const pages = await pagesOf(site);
    head(`ladder: ${pages.length} pages, ${SCRIPTED} of them written by scripts`);
    const board = new Scoreboard();
    const rival = await runRival(site, pages);
    await runTidemark(site, pages, board, rival);
    board.print();
  } finally {
    site.stop();
  }
}

if (values.help) console.log(HELP);
else await main();
