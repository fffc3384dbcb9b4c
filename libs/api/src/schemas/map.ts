import { MAP_METHODS, MapRobots, MapTotals } from '@tidemark/results';
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
