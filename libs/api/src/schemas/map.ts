import { z } from 'zod';
import { JobEnvelope } from './job.ts';

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

export const MapTotals = z.object({
  files: z.int().describe('Files read, indexes among them: what the map costs'),
  urls: z.int().describe('Addresses of the site, each once, before `search` and `limit`'),
  indexes: z.int(),
  blocked: z.int().describe('Files the site refuses, or answers with a page instead'),
});

/** What robots.txt said. */
export const MapRobots = z.object({
  status: z.int().nullable().describe('HTTP status of robots.txt; null where no answer came'),
  found: z.boolean(),
  allowed: z.boolean().describe('Whether the page may be read'),
  sitemaps: z.array(z.string()).describe('The sitemaps it names'),
  crawlDelay: z.number().nullable(),
  reason: z.string(),
});

/** The envelope with what a map says beside it. */
export const MapEnvelope = JobEnvelope.omit({ data: true, webhookSecret: true })
  .extend({
    data: z.array(MapRow),
    totals: MapTotals,
    robots: MapRobots.nullable().describe('null until it has been read'),
    method: z.enum(MAP_METHODS).nullable().describe('Where the rows come from; none: nowhere; null while it runs'),
    files: z.array(MapFile).describe('The tree, in its order; empty behind a cursor'),
  })
  .meta({ id: 'MapEnvelope' });
export type MapEnvelope = z.output<typeof MapEnvelope>;
