import { z } from 'zod';
import { MapEnvelope } from '../schemas/map.ts';
import { Time } from '../schemas/parts.ts';
import { event } from './event.ts';

const Health = z
  .object({
    health: z.enum(['failing', 'recovered']),
    why: z.string().describe('What it is known by, in words'),
    since: Time,
  })
  .meta({ id: 'SiteHealthData' });

const snapshotId = z.string().describe('The map that shows it');

const Urls = z
  .object({
    urls: z.array(z.string()).describe('The first thousand, fewer where they are long'),
    count: z.int().describe('Of all'),
    snapshotId,
  })
  .meta({ id: 'SitemapUrlsData' });

const Files = z.object({ files: z.array(z.string()), snapshotId }).meta({ id: 'SitemapFilesData' });

/** A map without its rows and files. */
const MapEnded = MapEnvelope.omit({ data: true, files: true, cursor: true, request_id: true })
  .extend({ next: z.string().describe('Path of the map, its tree and its rows') })
  .meta({ id: 'MapCompletedData' });

const MAP = 'job_01kf2q7m5de4g8rj0w3x9y1zab';
const urls = { urls: ['https://example.com/returns'], count: 1, snapshotId: MAP };
const files = { files: ['https://example.com/sitemap-news.xml'], snapshotId: MAP };
const SINCE = 'Compared with the snapshot before.';

/** What is told of a project's site beside its runs. */
export const SITE_EVENTS = {
  'site.failing': event({
    says: 'The project’s runs have begun to fail.',
    data: Health,
    example: {
      health: 'failing',
      why: 'the site gave no answer for two runs in a row',
      since: '2026-05-04T06:12:41.208Z',
    },
  }),
  'site.recovered': event({
    says: 'A run of a project that was failing has read its site again.',
    data: Health,
    example: { health: 'recovered', why: 'the last run read its site', since: '2026-05-05T06:11:09.511Z' },
  }),
  'map.completed': event({
    says: 'The map that makes the project’s next discovery snapshot has ended; its status says how. `data` and `files` are left out.',
    data: MapEnded,
    example: {
      ...{ id: MAP, kind: 'map', status: 'done', progress: { done: 3, total: 3, queued: 0 }, creditsUsed: 3 },
      ...{ counts: {}, stop: null, error: null, method: 'sitemap', next: `/v1/map/${MAP}` },
      ...{ createdAt: '2026-05-04T06:10:02.100Z', finishedAt: '2026-05-04T06:10:04.720Z' },
      totals: { files: 3, urls: 1_204, indexes: 1, blocked: 0 },
      robots: {
        ...{ status: 200, found: true, allowed: true, sitemaps: ['https://example.com/sitemap.xml'] },
        ...{ crawlDelay: null, reason: 'robots.txt allows it' },
      },
    },
  }),
  'sitemap.added': event({ says: `Sitemaps declare addresses they did not. ${SINCE}`, data: Urls, example: urls }),
  'sitemap.removed': event({
    says: `Sitemaps declare addresses no more. Told only where both trees were read whole. ${SINCE}`,
    data: Urls,
    example: urls,
  }),
  'sitemap.updated': event({ says: `Sitemaps date addresses anew. ${SINCE}`, data: Urls, example: urls }),
  'sitemap.file_added': event({ says: `There are new sitemap files. ${SINCE}`, data: Files, example: files }),
  'sitemap.file_removed': event({
    says: `Sitemap files are gone. Told only where both trees were read whole. ${SINCE}`,
    data: Files,
    example: files,
  }),
} as const;
