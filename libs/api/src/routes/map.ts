import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { MapEnvelope } from '../schemas/map.ts';
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
