// Child process of the benchmarks: crawls a site with Crawlee's CheerioCrawler and stores text, markdown and, with --keep, the HTML.
import { parseArgs } from 'node:util';
import { NodeHtmlMarkdown } from 'node-html-markdown';
import { loadCrawlee } from './crawlee-module.ts';

const RETRIES = 5;
const LEAST = 10;
const MOST_PAGES = 100_000;

const { values } = parseArgs({
  options: {
    site: { type: 'string', default: '' },
    crawlee: { type: 'string', default: '' },
    concurrency: { type: 'string', default: '50' },
    keep: { type: 'boolean', default: false },
  },
});
const { CheerioCrawler, Configuration, log, LogLevel } = await loadCrawlee(values.crawlee);
log.setLevel(LogLevel.OFF);
const toMarkdown = new NodeHtmlMarkdown();
const concurrency = Number(values.concurrency);
let pages = 0;

const crawler = new CheerioCrawler(
  {
    minConcurrency: Math.min(LEAST, concurrency),
    maxConcurrency: concurrency,
    maxRequestRetries: RETRIES,
    maxRequestsPerCrawl: MOST_PAGES,
    respectRobotsTxtFile: true,
    async requestHandler({ request, response, body, $, pushData, enqueueLinks }) {
      pages += 1;
      const main = $('main');
      const row = { url: request.loadedUrl, status: response.statusCode, title: $('title').text(), text: main.text() };
      const kept = { markdown: toMarkdown.translate(main.html() ?? ''), html: body.toString() };
      await pushData(values.keep ? Object.assign(row, kept) : row);
      if (response.statusCode === 200) await enqueueLinks({ strategy: 'same-hostname' });
    },
  },
  new Configuration({ persistStorage: values.keep, purgeOnStart: true, availableMemoryRatio: 0.5 }),
);
const startedAtMs = performance.now();
await crawler.run([`${values.site}/`]);
process.send?.({ pages, seconds: (performance.now() - startedAtMs) / 1_000 });
process.disconnect();
