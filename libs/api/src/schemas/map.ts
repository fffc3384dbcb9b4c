import { z } from 'zod';
import { JobEnvelope } from './job.ts';

export const MapRow = z
  .object({
    url: z.string(),
    lastmod: z.string().nullable().describe('As written in the file'),
    changefreq: z.string().nullable(),
    source: z.enum(['sitemap', 'feed', 'link']),
    file: z.string().describe('The first file that declares the URL, or the page that links to it'),
    section: z.string().describe('The common path prefix of the URLs of that file, or the name of the file'),
  })
  .meta({ id: 'MapRow' });
export type MapRow = z.output<typeof MapRow>;

export const MAP_FILE_VERDICTS = ['read', 'partial', 'blocked', 'missing', 'failed', 'skipped'] as const;

export const MapFile = z
  .object({
    url: z.string(),
    parent: z.string().nullable().describe('The index that lists it'),
    foundBy: z.enum(['asked', 'robots', 'index', 'home', 'guess']),
    kind: z.enum(['sitemap', 'index', 'text', 'feed']).nullable(),
    verdict: z
      .enum(MAP_FILE_VERDICTS)
      .describe(
        'partial: the readable part is kept; blocked: refused, or an html page instead; skipped: not requested',
      ),
    status: z.int().nullable().describe('HTTP status; null if no response arrived'),
    bytes: z.int().describe('Decompressed size in bytes'),
    urls: z.int().describe('Number of URLs, or of files in an index'),
    alternates: z.int().describe('Number of language alternates, images and videos; they are not rows'),
    foreign: z.int().describe('Number of URLs of other hosts; they are dropped'),
    section: z.string(),
    lastmodFrom: z.string().nullable(),
    lastmodTo: z.string().nullable(),
    error: z.string().nullable().describe('Error description'),
  })
  .meta({ id: 'MapFile' });
export type MapFile = z.output<typeof MapFile>;

export const MAP_METHODS = ['sitemap', 'feed', 'links', 'none'] as const;

export const MapTotals = z.object({
  files: z.int().describe('Files read, indexes included; equals the cost of the map'),
  urls: z.int().describe('Distinct URLs of the site before `search` and `limit`'),
  indexes: z.int(),
  blocked: z.int().describe('Files that the site refuses or replaces by an html page'),
});

/** Result of reading robots.txt. */
export const MapRobots = z.object({
  status: z.int().nullable().describe('HTTP status of robots.txt; null if no response arrived'),
  found: z.boolean(),
  allowed: z.boolean().describe('Whether robots.txt allows the page'),
  sitemaps: z.array(z.string()).describe('Sitemaps listed in robots.txt'),
  crawlDelay: z.number().nullable(),
  reason: z.string(),
});

/** A job envelope with the results of a map. */
export const MapEnvelope = JobEnvelope.omit({ data: true, webhookSecret: true })
  .extend({
    data: z.array(MapRow),
    totals: MapTotals,
    robots: MapRobots.nullable().describe('null until robots.txt has been read'),
    method: z
      .enum(MAP_METHODS)
      .nullable()
      .describe('Source of the rows; none if there is no source; null while the map runs'),
    files: z.array(MapFile).describe('Files in tree order; empty after the first page of results'),
  })
  .meta({ id: 'MapEnvelope' });
export type MapEnvelope = z.output<typeof MapEnvelope>;
