import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { CONFIG_KEYS, say } from '../schemas/config.ts';
import { JsonObject } from '../schemas/config-values.ts';
import { JobEnvelope } from '../schemas/job.ts';
import { Formats, PageRow } from '../schemas/page.ts';
import { Cursor, limit, WebUrl } from '../schemas/parts.ts';
import { keeping, Project, ProjectName } from '../schemas/project.ts';
import { ProjectConfig, storable } from '../schemas/project-config.ts';
import { LinkSet, LinksQuery, RunSummary, runState } from '../schemas/run.ts';
import { ScrapeOptions } from '../schemas/scrape-config.ts';

export const CRAWL_EVENTS = ['crawl.started', 'crawl.page', 'crawl.completed', 'crawl.failed'] as const;

const Webhook = z.strictObject({
  url: WebUrl,
  events: z.array(z.enum(CRAWL_EVENTS)).min(1).optional().describe('All of them by default'),
  metadata: JsonObject.optional().describe('Echoed on every message'),
});

const CrawlBody = z
  .strictObject({
    url: WebUrl,
    limit: CONFIG_KEYS.max_pages.schema.optional().describe(say('max_pages')),
    maxDepth: CONFIG_KEYS.max_depth.schema.optional().describe(say('max_depth')),
    includePaths: CONFIG_KEYS.include_paths.schema.optional().describe(say('include_paths')),
    excludePaths: CONFIG_KEYS.exclude_paths.schema.optional().describe(say('exclude_paths')),
    useSitemap: CONFIG_KEYS.use_sitemap.schema.optional().describe(say('use_sitemap')),
    sitemapMode: CONFIG_KEYS.sitemap_mode.schema.optional().describe(say('sitemap_mode')),
    crawlMode: CONFIG_KEYS.crawl_mode.schema.optional().describe(say('crawl_mode')),
    allowSubdomains: CONFIG_KEYS.allow_subdomains.schema.optional().describe(say('allow_subdomains')),
    maxAge: CONFIG_KEYS.max_age_seconds.schema.optional().describe(say('max_age_seconds')),
    maxTier: CONFIG_KEYS.max_tier.schema.optional().describe(say('max_tier')),
    delay: CONFIG_KEYS.delay_ms.schema.optional().describe(say('delay_ms')),
    concurrency: CONFIG_KEYS.concurrency.schema.optional().describe(say('concurrency')),
    respectRobots: CONFIG_KEYS.respect_robots.schema.optional().describe(say('respect_robots')),
    scrapeOptions: ScrapeOptions.optional(),
    config: ProjectConfig.optional().describe('Any key of a configuration; the names above win over it'),
    webhook: Webhook.optional(),
    destination: z.string().max(100).optional().describe('A destination of the workspace the pages are written to'),
  })
  .check(storable)
  .meta({ id: 'CrawlRequest' });

const CrawlId = z.strictObject({ id: z.string().describe('The crawl, such as run_01j…') });

/** A crawl's envelope says more of how it goes. */
export const CrawlEnvelope = JobEnvelope.extend(runState).meta({ id: 'CrawlEnvelope' });
export type CrawlEnvelope = z.output<typeof CrawlEnvelope>;

const reads = { tag: 'Crawl', scope: 'read', params: CrawlId, body: nothing } as const;
const changes = { tag: 'Crawl', scope: 'write', params: CrawlId, query: nothing, body: nothing } as const;

export const crawlRoutes = {
  startCrawl: route({
    id: 'startCrawl',
    method: 'post',
    path: '/crawl',
    tag: 'Crawl',
    scope: 'write',
    summary: 'Read a whole site',
    description:
      'Answers 202 at once. Pages are fetched politely, each once, and are read with GET /crawl/{id} while the crawl runs; they are kept for a day, unless POST /crawl/{id}/keep makes a project of it. `config` takes any key of a configuration; what is no matter of the crawl is kept for that project.',
    params: nothing,
    query: nothing,
    body: CrawlBody,
    idempotent: true,
    responses: { 202: CrawlEnvelope },
    example: { url: 'https://example.com/', limit: 100, scrapeOptions: { formats: ['markdown'] } },
  }),
  getCrawl: route({
    ...reads,
    id: 'getCrawl',
    method: 'get',
    path: '/crawl/{id}',
    summary: 'A crawl and its pages, oldest first',
    description:
      '`next` is null once the crawl has ended and every page has been read. With bodies at most 100 pages come at once.',
    query: z.strictObject({
      cursor: Cursor,
      limit: limit(25, 1_000),
      formats: z
        .union([z.literal(['', 'none']), Formats])
        .optional()
        .describe('Bodies to return; those the crawl was asked for by default, `none` for rows alone'),
    }),
    responses: { 200: CrawlEnvelope },
  }),
  getCrawlPage: route({
    ...reads,
    id: 'getCrawlPage',
    method: 'get',
    path: '/crawl/{id}/page',
    summary: 'One page of a crawl in full',
    description: 'The address is matched under either scheme, with or without a trailing slash.',
    query: z.strictObject({ url: z.string().min(1).max(2_048) }),
    responses: { 200: PageRow.extend({ creditsUsed: z.int(), request_id: z.string() }).meta({ id: 'CrawlPage' }) },
  }),
  streamCrawl: route({
    ...reads,
    id: 'streamCrawl',
    method: 'get',
    path: '/crawl/{id}/events',
    summary: 'The crawl as it goes on, as server-sent events',
    description:
      'Events: `progress`, `page` (a row without bodies, its number as the event’s id) and, last, `done`. Last-Event-ID goes on where a connection broke.',
    query: nothing,
    produces: 'text/event-stream',
    responses: { 200: undefined },
  }),
  getCrawlScreenshot: route({
    ...reads,
    id: 'getCrawlScreenshot',
    method: 'get',
    path: '/crawl/{id}/screenshot',
    summary: 'The screenshot of a page',
    query: z.strictObject({ page: z.string().min(1).max(100).describe('The page’s id') }),
    produces: 'image/jpeg',
    responses: { 200: undefined },
  }),
  listCrawlLinks: route({
    ...reads,
    id: 'listCrawlLinks',
    method: 'get',
    path: '/crawl/{id}/links',
    summary: 'One set of the crawl’s link graph',
    query: LinksQuery,
    responses: { 200: LinkSet },
  }),
  cancelCrawl: route({
    ...changes,
    id: 'cancelCrawl',
    method: 'delete',
    path: '/crawl/{id}',
    summary: 'Stop a crawl',
    description: 'Nothing more is fetched within two seconds; the pages it has stay.',
    responses: { 200: CrawlEnvelope },
  }),
  pauseCrawl: route({
    ...changes,
    id: 'pauseCrawl',
    method: 'post',
    path: '/crawl/{id}/pause',
    summary: 'Pause a crawl',
    responses: { 200: CrawlEnvelope },
  }),
  resumeCrawl: route({
    ...changes,
    id: 'resumeCrawl',
    method: 'post',
    path: '/crawl/{id}/resume',
    summary: 'Go on with a paused crawl',
    responses: { 200: CrawlEnvelope },
  }),
  keepCrawl: route({
    id: 'keepCrawl',
    method: 'post',
    path: '/crawl/{id}/keep',
    tag: 'Crawl',
    scope: 'write',
    summary: 'Make a project of a crawl',
    description:
      'Its run is in place already, with the configuration the crawl was asked for. Asked again, it answers with the project it made.',
    params: CrawlId,
    query: nothing,
    body: z.strictObject({ name: ProjectName.optional(), ...keeping }).meta({ id: 'KeepRequest' }),
    responses: {
      201: Project.extend({
        run: RunSummary.nullable().describe('The crawl, now a run of the project; null once its retention is over'),
      }).meta({
        id: 'KeptCrawl',
      }),
    },
    example: { name: 'Example', schedule: 'weekly', retention: 30 },
  }),
} as const;
