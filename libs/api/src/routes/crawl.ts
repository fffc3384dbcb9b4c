import { CONFIG_KEYS, describeKey, JsonObject, ProjectConfig, storable } from '@tidemark/project-config';
import { JOB_STATUSES } from '@tidemark/results';
import { CRAWL_EVENTS } from '@tidemark/webhook-events';
import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { JobEnvelope, JobSummary } from '../schemas/job.ts';
import { Formats, PageRow } from '../schemas/page.ts';
import { Cursor, limit, listOf, PageUrl, ReceiverUrl, SiteUrl } from '../schemas/parts.ts';
import { Project, ProjectName, projectSettings } from '../schemas/project.ts';
import { LinkSet, LinksQuery, RunSummary, runState } from '../schemas/run.ts';
import { ScrapeOptions } from '../schemas/scrape-options.ts';
import { RunCoverage } from '../schemas/site-estimate.ts';

const Webhook = z.strictObject({
  url: ReceiverUrl,
  events: z.array(z.enum(CRAWL_EVENTS)).min(1).optional().describe('All of them by default'),
  metadata: JsonObject.optional().describe('Echoed on every message'),
});

const CrawlBody = z
  .strictObject({
    url: SiteUrl,
    limit: CONFIG_KEYS.max_pages.schema.optional().describe(describeKey('max_pages')),
    maxDepth: CONFIG_KEYS.max_depth.schema.optional().describe(describeKey('max_depth')),
    includePaths: CONFIG_KEYS.include_paths.schema.optional().describe(describeKey('include_paths')),
    excludePaths: CONFIG_KEYS.exclude_paths.schema.optional().describe(describeKey('exclude_paths')),
    useSitemap: CONFIG_KEYS.use_sitemap.schema.optional().describe(describeKey('use_sitemap')),
    sitemapMode: CONFIG_KEYS.sitemap_mode.schema.optional().describe(describeKey('sitemap_mode')),
    crawlMode: CONFIG_KEYS.crawl_mode.schema.optional().describe(describeKey('crawl_mode')),
    allowSubdomains: CONFIG_KEYS.allow_subdomains.schema.optional().describe(describeKey('allow_subdomains')),
    maxAge: CONFIG_KEYS.max_age_seconds.schema.optional().describe(describeKey('max_age_seconds')),
    maxTier: CONFIG_KEYS.max_tier.schema.optional().describe(describeKey('max_tier')),
    delay: CONFIG_KEYS.delay_ms.schema.optional().describe(describeKey('delay_ms')),
    concurrency: CONFIG_KEYS.concurrency.schema.optional().describe(describeKey('concurrency')),
    respectRobots: CONFIG_KEYS.respect_robots.schema.optional().describe(describeKey('respect_robots')),
    scrapeOptions: ScrapeOptions.optional(),
    config: ProjectConfig.optional().describe(
      'Any configuration key; the short names above take precedence, except that `limit` and another `max_pages` are refused',
    ),
    webhook: Webhook.optional().describe('Receives the events of the crawl'),
    destination: z
      .string()
      .max(100)
      .optional()
      .describe('Id of a destination of the workspace; the pages are written to it'),
  })
  .check(storable)
  .meta({ id: 'CrawlRequest' });

const CrawlId = z.strictObject({ id: z.string().describe('The crawl, such as run_01j…') });

/** A job envelope with the state of the crawl. */
export const CrawlEnvelope = JobEnvelope.extend({
  ...runState,
  coverage: RunCoverage.nullable().describe('How much of its site the crawl read; null until it has ended'),
}).meta({ id: 'CrawlEnvelope' });
export type CrawlEnvelope = z.output<typeof CrawlEnvelope>;

/** A crawl in the list of crawls. */
export const CrawlSummary = JobSummary.extend({
  ...runState,
  projectId: z.string().nullable().describe('The project that the crawl became; null if it was not kept'),
}).meta({ id: 'CrawlSummary' });
export type CrawlSummary = z.output<typeof CrawlSummary>;

const readRoute = { tag: 'Crawl', scope: 'read', params: CrawlId, body: nothing } as const;
const writeRoute = { tag: 'Crawl', scope: 'write', params: CrawlId, query: nothing, body: nothing } as const;

export const crawlRoutes = {
  startCrawl: route({
    id: 'startCrawl',
    spends: true,
    usesLogin: true,
    refusals: { tier_limit: 'No engine of this deployment can read pages under the options.' },
    method: 'post',
    path: '/crawl',
    tag: 'Crawl',
    scope: 'write',
    summary: 'Crawl a site',
    description:
      'Returns 202 at once. Each page is fetched once, within the politeness limits, and is available from GET /crawl/{id} while the crawl runs. Pages are stored for one day, unless POST /crawl/{id}/keep turns the crawl into a project. `config` accepts any configuration key; keys that do not affect the crawl are stored for that project.',
    params: nothing,
    query: nothing,
    body: CrawlBody,
    idempotent: true,
    responses: { 202: CrawlEnvelope },
    example: { url: 'https://example.com/', limit: 100, scrapeOptions: { formats: ['markdown'] } },
  }),
  listCrawls: route({
    id: 'listCrawls',
    method: 'get',
    path: '/crawl',
    tag: 'Crawl',
    scope: 'read',
    summary: 'Recent crawls, newest first',
    description: 'Crawls that became projects are included; runs of projects are not.',
    params: nothing,
    query: z.strictObject({
      cursor: Cursor,
      limit: limit(25, 100),
      status: z.enum(JOB_STATUSES).optional().describe('Only crawls with this status'),
    }),
    body: nothing,
    responses: { 200: listOf(CrawlSummary) },
  }),
  getCrawl: route({
    ...readRoute,
    id: 'getCrawl',
    method: 'get',
    path: '/crawl/{id}',
    summary: 'A crawl and its pages, oldest first',
    description:
      '`next` is null when the crawl has ended and every page has been returned. A response with bodies has at most 100 pages. With `Accept: application/x-ndjson` the response is a stream of all ended pages, one row of JSON a line, with the `cursor` after it and without a `limit`. The header `crawl-complete` is `true` if no further page follows. A stream that breaks off lacks its last chunk.',
    query: z.strictObject({
      cursor: Cursor,
      limit: limit(25, 1_000),
      formats: z
        .union([z.literal(['', 'none']), Formats])
        .optional()
        .describe(
          'Bodies to return; by default the `formats` of the request, `none` for rows without bodies; stored html (`store_html`) is returned for `rawHtml`',
        ),
    }),
    alsoProduces: ['application/x-ndjson'],
    responses: { 200: CrawlEnvelope },
  }),
  getCrawlPage: route({
    ...readRoute,
    id: 'getCrawlPage',
    method: 'get',
    path: '/crawl/{id}/page',
    summary: 'One page of a crawl in full',
    description: 'The URL is matched under either scheme, with or without a trailing slash.',
    query: z.strictObject({ url: PageUrl }),
    responses: { 200: PageRow.extend({ creditsUsed: z.int(), request_id: z.string() }).meta({ id: 'CrawlPage' }) },
  }),
  streamCrawl: route({
    ...readRoute,
    id: 'streamCrawl',
    method: 'get',
    path: '/crawl/{id}/events',
    summary: 'Progress of the crawl as server-sent events',
    description:
      'Events: `progress`, `page` (a row without bodies, with its number as event id) and finally `done`; or `closed` with `code` and `error` if the stream ends before the job, as it does within five seconds after its key was revoked or has expired. Last-Event-ID resumes after a broken connection. A key can have 50 open streams; another gets 429.',
    query: nothing,
    produces: 'text/event-stream',
    responses: { 200: undefined },
  }),
  getCrawlScreenshot: route({
    ...readRoute,
    id: 'getCrawlScreenshot',
    method: 'get',
    path: '/crawl/{id}/screenshot',
    summary: 'The screenshot of a page',
    query: z.strictObject({ page: z.string().min(1).max(100).describe('Id of the page') }),
    produces: 'image/jpeg',
    responses: { 200: undefined },
  }),
  listCrawlLinks: route({
    ...readRoute,
    id: 'listCrawlLinks',
    method: 'get',
    path: '/crawl/{id}/links',
    summary: 'One set of pages from the link graph of the crawl',
    query: LinksQuery,
    responses: { 200: LinkSet },
  }),
  cancelCrawl: route({
    ...writeRoute,
    id: 'cancelCrawl',
    exampleState: { status: 'cancelled', stop: 'cancelled' },
    method: 'delete',
    path: '/crawl/{id}',
    summary: 'Stop a crawl',
    description: 'Fetching stops within two seconds. Pages fetched so far stay available.',
    responses: { 200: CrawlEnvelope },
  }),
  pauseCrawl: route({
    ...writeRoute,
    id: 'pauseCrawl',
    exampleState: { status: 'running', paused: true, stop: null, finishedAt: null },
    method: 'post',
    path: '/crawl/{id}/pause',
    summary: 'Pause a crawl',
    responses: { 200: CrawlEnvelope },
  }),
  resumeCrawl: route({
    ...writeRoute,
    id: 'resumeCrawl',
    exampleState: { status: 'running', stop: null, finishedAt: null },
    method: 'post',
    path: '/crawl/{id}/resume',
    summary: 'Resume a paused crawl',
    responses: { 200: CrawlEnvelope },
  }),
  keepCrawl: route({
    id: 'keepCrawl',
    refusals: {
      plan_limit: 'The workspace has as many projects as it may.',
      forbidden: 'The key is restricted to projects.',
      conflict: 'The run belongs to a project already.',
    },
    method: 'post',
    path: '/crawl/{id}/keep',
    tag: 'Crawl',
    scope: 'write',
    summary: 'Turn a crawl into a project',
    description:
      'The crawl becomes the first run of the project, which takes over the configuration of the crawl. A repeated request returns the same project.',
    params: CrawlId,
    query: nothing,
    body: z.strictObject({ name: ProjectName.optional(), ...projectSettings }).meta({ id: 'KeepRequest' }),
    responses: {
      201: Project.extend({
        run: RunSummary.nullable().describe('The crawl, now a run of the project; null after its retention period'),
      }).meta({
        id: 'KeptCrawl',
      }),
    },
    example: { name: 'Example', schedule: 'weekly', retention: 30 },
  }),
} as const;
