import type { PageRow } from '@tidemark/api';
import pLimit from 'p-limit';
import type { Api } from '../../test/harness/api.ts';
import type { Site } from '../site/start-site.ts';
import { type MeasuredCrawl, measureCrawl } from './first-crawl.ts';
import { pageOf } from './run.ts';
import { type Bench, head, isUneven, showCost } from './settings.ts';

/** Pages compared in full, spread over the whole crawl. */
const SAMPLE = 400;
const AT_ONCE = 8;

interface Differences {
  readonly compared: number;
  readonly modified: readonly string[];
  readonly lost: readonly string[];
}

const linksOf = ({ links }: PageRow): string => (links ?? []).map(({ url }) => url).join('\n');

/** Compares the stored pages of both crawls by URL, except those the site generates at every request. */
async function compare(
  api: Api,
  [first, again]: readonly [string, string],
  urls: readonly string[],
): Promise<Differences> {
  const modified: string[] = [];
  const lost: string[] = [];
  await pLimit(AT_ONCE).map(urls, async (url) => {
    const [before, after] = [await pageOf(api, first, url), await pageOf(api, again, url)];
    if (before.markdown !== after.markdown || before.title !== after.title) modified.push(url);
    if (linksOf(before) !== linksOf(after)) lost.push(url);
  });
  return { compared: urls.length, modified, lost };
}

/** Measures a second crawl of the unchanged site: pages that return 304 are neither fetched nor read again. */
export async function runAgain(bench: Bench, api: Api, site: Site, first: MeasuredCrawl): Promise<void> {
  head('again: the same site, unchanged');
  const again = await measureCrawl(bench, api, site);
  showCost('Tidemark, again', again.crawl.pages, again.cost);
  const volatile = new Set(await site.urls(({ isVolatile }) => isVolatile));
  const both = new Set(first.rows.filter(({ verdict }) => verdict === 'ok').map(({ url }) => url));
  const urls = again.rows.map(({ url }) => url).filter((url) => both.has(url) && !volatile.has(url));
  const step = Math.max(1, Math.floor(urls.length / SAMPLE));
  const sample = [...new Set(urls.filter((_, at) => at % step === 0))];
  const { compared, modified, lost } = await compare(api, [first.crawl.id, again.crawl.id], sample);
  console.log(
    `  rows ${again.rows.length} against ${first.rows.length}; answered 304: ${again.stats.notModified}; ` +
      `${(again.stats.bytes / 1024 / Math.max(1, again.crawl.pages)).toFixed(2)} KB a page; ${compared} pages compared in full`,
  );
  if (modified.length + lost.length > 0)
    console.log(`  differ, for example: ${[...modified, ...lost].slice(0, 3).join(' ')}`);
  const { board } = bench;
  const speed = ({ crawl, cost }: MeasuredCrawl): number => crawl.pages / cost.seconds;
  if (isUneven(first.cost, again.cost))
    console.log('  (the load of other processes differed between the two runs: the ratio of speeds proves little)');
  board.add('againSpeed', speed(again) / speed(first));
  board.add('againBytes', (100 * again.stats.bytes) / Math.max(1, first.stats.bytes));
  board.add('againModified', modified.length);
  board.add('againLinks', lost.length);
}
