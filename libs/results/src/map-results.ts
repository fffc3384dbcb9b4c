import { z } from 'zod';

/** Sources of the rows of a map. */
export const MAP_METHODS = ['sitemap', 'feed', 'links', 'none'] as const;

/** Numbers of the files and URLs of a map. */
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
