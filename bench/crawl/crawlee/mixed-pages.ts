// Child process of the ladder benchmark: reads given pages with Crawlee's AdaptivePlaywrightCrawler. The URLs arrive as a message.
import { parseArgs } from 'node:util';
import { loadCrawlee, loadFrom } from './crawlee-module.ts';

const AT_ONCE = 4;
const HEADLINE_WITHIN_MS = 3_000;
/** Share of pages that it reads both ways to learn which need the browser; its own default. */
const DETECTION_RATIO = 0.1;
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--no-first-run',
  '--disable-dev-shm-usage',
];

/** A page to read and the headline that it has for a reader. */
interface TitledPage {
  readonly url: string;
  readonly title: string | null;
}

interface Row {
  readonly url: string;
  readonly headline: string;
}

const { values } = parseArgs({
  options: { crawlee: { type: 'string', default: '' }, browser: { type: 'string', default: '' } },
});
const { AdaptivePlaywrightCrawler, Configuration, log, LogLevel } = await loadCrawlee(values.crawlee);
const { chromium } = await loadFrom<{ readonly chromium: object }>(values.crawlee, 'playwright-core/index.mjs');
log.setLevel(LogLevel.OFF);

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && 'url' in value && 'headline' in value;

async function read(pages: readonly TitledPage[]): Promise<void> {
  const crawler = new AdaptivePlaywrightCrawler(
    {
      minConcurrency: AT_ONCE,
      maxConcurrency: AT_ONCE,
      maxRequestRetries: 1,
      renderingTypeDetectionRatio: DETECTION_RATIO,
      launchContext: { launcher: chromium, launchOptions: { executablePath: values.browser, args: FLAGS } },
      async requestHandler({ request, parseWithCheerio, pushData }) {
        const $ = await parseWithCheerio('h1', HEADLINE_WITHIN_MS);
        await pushData({ url: request.url, headline: $('h1').first().text() });
      },
    },
    new Configuration({ persistStorage: false, availableMemoryRatio: 0.5 }),
  );
  const startedAtMs = performance.now();
  await crawler.run(pages.map(({ url }) => url));
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const rows = new Map((await crawler.getData()).items.filter(isRow).map(({ url, headline }) => [url, headline]));
  const right = pages.filter(({ url, title }) => title !== null && rows.get(url) === title).length;
  const browser = Number(crawler.stats?.state?.['browserRequestHandlerRuns'] ?? 0);
  process.send?.({ pages: pages.length, seconds, right, browser }, () => process.exit(0));
}

process.once('message', (pages: readonly TitledPage[]) => void read(pages));
