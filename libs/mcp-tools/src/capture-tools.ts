import { routes } from '@tidemark/api';
import type { CrawlRequest, ScrapeRequest } from '@tidemark/sdk';
import { z } from 'zod';
import { jobState, pageOfJob, readMap, readPages, rowReader, shapeMap } from './job-results.ts';
import { CaptureResult, MapResult, StartedJob } from './outputs.ts';
import { settings } from './parameters.ts';
import { type Tool, type ToolContext, type ToolResult, tool } from './tool.ts';
import { isOver, waitForJob } from './wait-for-job.ts';

const scrape = routes.startScrape.body.shape;
const map = routes.startMap.body.shape;
const crawl = routes.startCrawl.body.shape;

/** Seconds that the API waits for one page before it answers with a job. */
const PAGE_SECONDS = 45;
const MAP_SECONDS = 45;

const ParseDocuments = z.boolean().optional().describe('Read PDF and office documents; by default as in the config');

type ScrapeConfig = NonNullable<ScrapeRequest['config']>;

interface Reading {
  readonly config?: ScrapeConfig | undefined;
  readonly parse_documents?: boolean | undefined;
}

/** Merges parse_documents into the config. The API checks the keys. */
function configOf({ config, parse_documents }: Reading): { config?: ScrapeConfig } {
  const merged = { ...config, ...(parse_documents === undefined ? {} : { parse_documents }) };
  return Object.keys(merged).length === 0 ? {} : { config: merged };
}

/** Captures one page and waits for it. */
async function capture(body: ScrapeRequest, { client, signal }: ToolContext): Promise<ToolResult> {
  const ended = await client.call('POST /scrape', { body: { ...body, timeout: PAGE_SECONDS }, signal });
  const [row] = ended.data;
  const state = jobState('scrape', ended);
  return row === undefined ? state : { ...state, ...pageOfJob({ ...state.job, url: row.url }, row, {}) };
}

/** Captures several pages and waits for them up to the limit. */
async function captureAll(body: ScrapeRequest, context: ToolContext): Promise<ToolResult> {
  const { client, signal } = context;
  const started = await client.call('POST /scrape', { body, signal });
  const path = { id: started.id };
  const read = () => client.call('GET /scrape/{id}', { path, query: { limit: 1, formats: 'links' }, signal });
  await waitForJob(started, read, context);
  return await readPages('scrape', rowReader('scrape', started.id, context));
}

const scrapeUrls = tool('scrape_urls', {
  kind: 'captures',
  description:
    'Fetch the content of known URLs. Waits up to 50 s, then returns a job for get_job. Use crawl_site to follow links, get_page for stored pages.',
  input: z.strictObject({
    urls: scrape.urls.unwrap().describe('1 to 500 URLs'),
    config: settings<ScrapeConfig>(scrape.config, 'capture'),
    formats: scrape.formats,
    parse_documents: ParseDocuments,
  }),
  output: CaptureResult,
  async run({ urls, formats, ...reading }, context) {
    const body = { formats, ...configOf(reading) };
    const [url = ''] = urls;
    return urls.length === 1 ? await capture({ ...body, url }, context) : await captureAll({ ...body, urls }, context);
  },
});

const extractUrl = tool('extract_url', {
  kind: 'captures',
  description:
    'Fetch one page with all its bodies, the values that config.fields selects, and those that a language model extracts by config.extract. Use scrape_urls for several pages.',
  input: z.strictObject({
    url: scrape.url.unwrap(),
    config: settings<ScrapeConfig>(scrape.config, 'capture'),
    parse_documents: ParseDocuments,
  }),
  output: CaptureResult,
  run: ({ url, ...reading }, context) =>
    capture({ url, formats: ['markdown', 'text', 'links'], ...configOf(reading) }, context),
});

const mapSite = tool('map_site', {
  kind: 'captures',
  description:
    'List the URLs that a site declares in its sitemaps and feeds, without fetching the pages. Cheaper than crawl_site.',
  input: z.strictObject({ url: map.url, search: map.search, limit: map.limit }),
  output: MapResult,
  async run(args, context) {
    const { client, signal } = context;
    const started = await client.call('POST /map', { body: { ...args, timeout: MAP_SECONDS }, signal });
    // The rows of the first response are as many as `limit`; the list is read in parts of an index.
    return shapeMap(isOver(started) ? await readMap(client, started.id, { signal }) : started);
  },
});

const crawlSite = tool('crawl_site', {
  kind: 'captures',
  description:
    'Start a crawl that follows the links of a site; returns at once. Poll it with get_job; keep_crawl_as_project keeps its pages for more than a day.',
  input: z.strictObject({
    url: crawl.url,
    limit: crawl.limit,
    max_depth: crawl.maxDepth,
    include_paths: crawl.includePaths.describe('Globs of paths, such as /blog/**'),
    exclude_paths: crawl.excludePaths.describe('Globs of paths'),
    config: settings<NonNullable<CrawlRequest['config']>>(crawl.config, 'crawl'),
  }),
  output: StartedJob,
  async run({ url, limit, max_depth, include_paths, exclude_paths, config }, { client, signal }) {
    const body = { url, limit, maxDepth: max_depth, includePaths: include_paths, excludePaths: exclude_paths, config };
    return jobState('crawl', await client.call('POST /crawl', { body, signal }));
  },
});

export const CAPTURE_TOOLS: readonly Tool[] = [scrapeUrls, extractUrl, mapSite, crawlSite];
