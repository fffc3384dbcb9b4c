import { JobState, MAP_METHODS, MapRobots, MapTotals, Time } from '@tidemark/results';
import { z } from 'zod';
import { event } from './event.ts';

const Health = z
  .object({
    health: z.enum(['failing', 'recovered']),
    why: z.string().describe('The reason, as text'),
    since: Time,
  })
  .meta({ id: 'SiteHealthData' });

const snapshotId = z.string().describe('The map that contains the snapshot');

const Urls = z
  .object({
    urls: z.array(z.string()).describe('The first 1,000, fewer if they are long'),
    count: z.int().describe('Total number'),
    snapshotId,
  })
  .meta({ id: 'SitemapUrlsData' });

const Files = z.object({ files: z.array(z.string()), snapshotId }).meta({ id: 'SitemapFilesData' });

/** The state of a map without rows and files. */
const MapEnded = JobState.extend({
  totals: MapTotals,
  robots: MapRobots.nullable().describe('null until robots.txt has been read'),
  method: z
    .enum(MAP_METHODS)
    .nullable()
    .describe('Source of the rows; none if there is no source; null while the map runs'),
  results: z.url().describe('URL of the map with its tree and rows'),
  next: z.null().describe('null, because the map has ended'),
}).meta({ id: 'MapCompletedData' });

const MAP = 'job_01kf2q7m5de4g8rj0w3x9y1zab';
const urls = { urls: ['https://example.com/returns'], count: 1, snapshotId: MAP };
const files = { files: ['https://example.com/sitemap-news.xml'], snapshotId: MAP };
const SINCE = 'Compared with the previous snapshot.';

/** Events of a project's site. */
export const SITE_EVENTS = {
  'site.failing': event({
    description: 'The runs of the project started to fail.',
    data: Health,
    example: {
      health: 'failing',
      why: 'the site gave no response for two runs in a row',
      since: '2026-05-04T06:12:41.208Z',
    },
  }),
  'site.recovered': event({
    description: 'A run of a failing project read the site again.',
    data: Health,
    example: { health: 'recovered', why: 'the last run read its site', since: '2026-05-05T06:11:09.511Z' },
  }),
  'map.completed': event({
    description:
      'The map for the next discovery snapshot of the project ended; see `status`. `data` and `files` are omitted.',
    data: MapEnded,
    example: {
      id: MAP,
      kind: 'map',
      status: 'done',
      progress: { done: 3, total: 3, queued: 0 },
      creditsUsed: 3,
      counts: {},
      stop: null,
      error: null,
      method: 'sitemap',
      results: `https://api.example.com/v1/map/${MAP}`,
      next: null,
      createdAt: '2026-05-04T06:10:02.100Z',
      finishedAt: '2026-05-04T06:10:04.720Z',
      totals: { files: 3, urls: 1_204, indexes: 1, blocked: 0 },
      robots: {
        status: 200,
        found: true,
        allowed: true,
        sitemaps: ['https://example.com/sitemap.xml'],
        crawlDelay: null,
        reason: 'robots.txt allows it',
      },
    },
  }),
  'sitemap.added': event({ description: `Sitemaps declare additional URLs. ${SINCE}`, data: Urls, example: urls }),
  'sitemap.removed': event({
    description: `Sitemaps no longer declare some URLs. Sent only if both trees were read completely. ${SINCE}`,
    data: Urls,
    example: urls,
  }),
  'sitemap.updated': event({
    description: `Sitemaps give some URLs a new lastmod. ${SINCE}`,
    data: Urls,
    example: urls,
  }),
  'sitemap.file_added': event({ description: `There are new sitemap files. ${SINCE}`, data: Files, example: files }),
  'sitemap.file_removed': event({
    description: `Sitemap files were removed. Sent only if both trees were read completely. ${SINCE}`,
    data: Files,
    example: files,
  }),
} as const;
