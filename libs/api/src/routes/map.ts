import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { JobEnvelope } from '../schemas/job.ts';
import { Cursor, limit, WebUrl } from '../schemas/parts.ts';

export const MapBody = z
  .strictObject({
    url: WebUrl.describe('The site; any address of it, or one of its sitemaps'),
    search: z.string().max(500).default('').describe('Only addresses that hold this text, whatever its case'),
    limit: z.int().min(1).max(50_000).default(5_000).describe('Rows at most; `totals.urls` counts all'),
    sitemapMode: z
      .enum(['auto', 'only', 'skip'])
      .default('auto')
      .describe(
        'auto: the sitemaps robots.txt names, else the well-known places, else the feeds of the page, else its links; only: sitemaps alone; skip: the links of the page alone',
      ),
    allowSubdomains: z.boolean().default(false).describe('Addresses of all hosts under the site’s domain as well'),
    timeout: z
      .int()
      .min(1)
      .max(60)
      .default(10)
      .describe('Seconds to wait for the map; past them the answer is 202 and the reading carries on'),
  })
  .meta({ id: 'MapRequest' });

export const MapRow = z
  .object({
    url: z.string(),
    lastmod: z.string().nullable().describe('As the file says it'),
    changefreq: z.string().nullable(),
    source: z.enum(['sitemap', 'feed', 'link']),
    file: z.string().describe('The file that declares it first, or the page that links to it'),
    section: z.string().describe('The path all addresses of that file share, or the file’s name'),
  })
  .meta({ id: 'MapRow' });
export type MapRow = z.output<typeof MapRow>;

export const MAP_FILE_VERDICTS = ['read', 'partial', 'blocked', 'missing', 'failed', 'skipped'] as const;

export const MapFile = z
  .object({
    url: z.string(),
    parent: z.string().nullable().describe('The index that names it'),
    foundBy: z.enum(['asked', 'robots', 'index', 'home', 'guess']),
    kind: z.enum(['sitemap', 'index', 'text', 'feed']).nullable(),
    verdict: z
      .enum(MAP_FILE_VERDICTS)
      .describe(
        'partial: what could be read is kept; blocked: refused, or a page in its place; skipped: not asked for',
      ),
    status: z.int().nullable().describe('HTTP status; null where no answer came'),
    bytes: z.int().describe('Unpacked'),
    urls: z.int().describe('Addresses, or files of an index'),
    alternates: z.int().describe('Other languages, images and videos it tells of; they are no rows'),
    foreign: z.int().describe('Addresses of other hosts, left out'),
    section: z.string(),
    lastmodFrom: z.string().nullable(),
    lastmodTo: z.string().nullable(),
    error: z.string().nullable().describe('What is wrong with it, in words'),
  })
  .meta({ id: 'MapFile' });
export type MapFile = z.output<typeof MapFile>;

export const MAP_METHODS = ['sitemap', 'feed', 'links', 'none'] as const;

/** The envelope with what a map says beside it. */
export const MapEnvelope = JobEnvelope.omit({ data: true, webhookSecret: true })
  .extend({
    data: z.array(MapRow),
    totals: z.object({
      files: z.int().describe('Files read, indexes among them: what the map costs'),
      urls: z.int().describe('Addresses of the site, each once, before `search` and `limit`'),
      indexes: z.int(),
      blocked: z.int().describe('Files the site refuses, or answers with a page instead'),
    }),
    robots: z
      .object({
        status: z.int().nullable().describe('HTTP status of robots.txt; null where no answer came'),
        found: z.boolean(),
        allowed: z.boolean().describe('Whether the page may be read'),
        sitemaps: z.array(z.string()).describe('The sitemaps it names'),
        crawlDelay: z.number().nullable(),
        reason: z.string(),
      })
      .nullable()
      .describe('null until it has been read'),
    method: z.enum(MAP_METHODS).nullable().describe('Where the rows come from; none: nowhere; null while it runs'),
    files: z.array(MapFile).describe('The tree, in its order; empty behind a cursor'),
  })
  .meta({ id: 'MapEnvelope' });
export type MapEnvelope = z.output<typeof MapEnvelope>;

export const mapRoutes = {
  startMap: route({
    id: 'startMap',
    method: 'post',
    path: '/map',
    tag: 'Map',
    scope: 'write',
    summary: 'The addresses a site declares',
    description:
      'Reads robots.txt, the tree of sitemaps and feeds, or else the links of the page. 200 where that takes no longer than `timeout`, otherwise 202 and GET /map/{id}. ' +
      'Costs 1 credit for each sitemap or feed file that was read; files that are blocked, missing or skipped cost nothing, and neither do the links of a page. X-Service-Credits states the cost. ' +
      'A damaged file is read as far as it goes, and says what is wrong with it in `files`.',
    params: nothing,
    query: nothing,
    body: MapBody,
    idempotent: true,
    responses: { 200: MapEnvelope, 202: MapEnvelope },
    example: { url: 'https://example.com/', search: 'blog' },
  }),
  getMap: route({
    id: 'getMap',
    method: 'get',
    path: '/map/{id}',
    tag: 'Map',
    scope: 'read',
    summary: 'One map and its rows, in the order of the tree',
    description: '`next` is null once every row has been read.',
    params: z.strictObject({ id: z.string().describe('The job, such as job_01j…') }),
    query: z.strictObject({ cursor: Cursor, limit: limit(1_000, 1_000) }),
    body: nothing,
    responses: { 200: MapEnvelope },
  }),
} as const;
