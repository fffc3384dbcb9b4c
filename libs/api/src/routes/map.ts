import { WebUrl } from '@tidemark/project-config';
import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { MapEnvelope } from '../schemas/map.ts';
import { Cursor, limit } from '../schemas/parts.ts';

export const MapBody = z
  .strictObject({
    url: WebUrl.describe(
      'Any URL of the site, or one of its sitemaps. Without a scheme: https, or http if the host responds over http alone',
    ),
    search: z.string().max(500).default('').describe('Only URLs that contain this text, case-insensitive'),
    limit: z.int().min(1).max(50_000).default(5_000).describe('Maximum number of rows; `totals.urls` counts all'),
    sitemapMode: z
      .enum(['auto', 'only', 'skip'])
      .default('auto')
      .describe(
        'auto: the sitemaps listed in robots.txt, else the well-known locations, else the feeds of the page, else its links; only: sitemaps only; skip: links of the page only',
      ),
    allowSubdomains: z
      .boolean()
      .default(false)
      .describe('Whether to include URLs of all hosts under the domain of the site'),
    timeout: z
      .int()
      .min(1)
      .max(60)
      .default(10)
      .describe('Seconds to wait for the map; after that the response is 202 and the map continues'),
  })
  .meta({ id: 'MapRequest' });

export const mapRoutes = {
  startMap: route({
    id: 'startMap',
    spends: true,
    method: 'post',
    path: '/map',
    tag: 'Map',
    scope: 'write',
    summary: 'URLs that a site declares',
    description:
      'Reads robots.txt and the tree of sitemaps and feeds, or else the links of the page. Returns 200 if that takes no longer than `timeout`, otherwise 202; GET /map/{id} then returns the result. ' +
      'Costs 1 credit per sitemap or feed file read. Blocked, missing and skipped files and links of a page are free. X-Service-Credits states the cost. ' +
      'A damaged file is read as far as possible; `files` states the error.',
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
    summary: 'A map and its rows, in tree order',
    description: '`next` is null after the last row.',
    params: z.strictObject({ id: z.string().describe('The job, such as job_01j…') }),
    query: z.strictObject({ cursor: Cursor, limit: limit(1_000, 1_000) }),
    body: nothing,
    responses: { 200: MapEnvelope },
  }),
} as const;
