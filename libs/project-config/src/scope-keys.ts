import { assumeHttps } from '@tidemark/web-url';
import { z } from 'zod';
import { WebUrl } from './given-url.ts';

/** A glob over path and query, or an RE2 expression with the prefix `re:`; crawl checks the syntax. */
const PathPatterns = z.array(z.string().min(1).max(500)).max(200);

/** Keys of the group `scope`: which pages of a site a run visits. */
export const SCOPE_KEYS = {
  max_pages: {
    group: 'scope',
    schema: z.int().min(1).max(10_000_000),
    fallback: 1_000,
    description: 'maximum number of fetched pages, never exceeded',
  },
  max_depth: {
    group: 'scope',
    schema: z.int().min(0).max(1_000),
    fallback: 10,
    description: 'maximum number of links from the seed',
  },
  include_paths: {
    group: 'scope',
    schema: PathPatterns,
    fallback: [],
    site: true,
    description:
      'globs over path and query: `*` matches within a path segment, `**` across segments (`/blog/**` is everything beneath /blog/), `{a,b}` either; or RE2 expressions with the prefix re:; only matching pages are visited',
  },
  exclude_paths: {
    group: 'scope',
    schema: PathPatterns,
    fallback: [],
    site: true,
    description: 'patterns of the same kind; matching pages are not visited',
  },
  allow_subdomains: {
    group: 'scope',
    schema: z.boolean(),
    fallback: false,
    description: 'whether other hosts of the same site are visited',
  },
  use_sitemap: {
    group: 'scope',
    schema: z.boolean(),
    fallback: true,
    description: 'whether the sitemaps of the site are read',
  },
  sitemap_mode: {
    group: 'scope',
    schema: z.enum(['auto', 'only', 'skip']),
    fallback: 'auto',
    description: 'sitemaps and links, sitemaps only, or no sitemaps',
  },
  sitemap_include: {
    group: 'scope',
    schema: PathPatterns,
    fallback: [],
    site: true,
    description: 'only sitemap files whose URL matches are read',
  },
  sitemap_exclude: {
    group: 'scope',
    schema: PathPatterns,
    fallback: [],
    site: true,
    description: 'sitemap files whose URL matches are not read',
  },
  crawl_mode: {
    group: 'scope',
    schema: z.enum(['sitemap_first', 'links_first', 'sitemap_only', 'list_only']),
    fallback: 'sitemap_first',
    description: 'order of the URLs, and which sources are followed',
  },
  url_list: {
    group: 'scope',
    schema: z.array(z.string().max(2_048).overwrite(assumeHttps)).max(50_000),
    fallback: [],
    site: true,
    description: 'URLs to visit in addition to the discovered ones, or with list_only instead of them',
  },
  feeds: {
    group: 'scope',
    schema: z.array(WebUrl).max(100),
    fallback: [],
    site: true,
    description: 'RSS, Atom and JSON feeds whose entries are also visited',
  },
  ignore_query: {
    group: 'scope',
    schema: z.array(z.string().min(1).max(100)).max(100),
    fallback: [],
    description: 'query parameters ignored when URLs are compared, in addition to tracking parameters',
  },
  keep_tracking: {
    group: 'scope',
    schema: z.boolean(),
    fallback: false,
    description:
      'whether URLs that differ only in tracking parameters (utm_*, gclid, fbclid and the like) are different pages',
  },
  respect_robots: { group: 'scope', schema: z.boolean(), fallback: true, description: 'whether robots.txt is obeyed' },
  time_limit_minutes: {
    group: 'scope',
    schema: z.int().min(1).max(10_080),
    fallback: 360,
    description: 'maximum duration of a run in minutes',
  },
} as const;
