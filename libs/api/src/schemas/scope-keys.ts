import { z } from 'zod';
import { WebUrl } from './parts.ts';

/** A glob over path and query, or `re:` before an RE2 expression; what it means is judged where pages are chosen. */
const PathPatterns = z.array(z.string().min(1).max(500)).max(200);

/** The keys of the group `scope`: which pages of a site a run visits. */
export const SCOPE_KEYS = {
  max_pages: {
    group: 'scope',
    schema: z.int().min(1).max(10_000_000),
    fallback: 1_000,
    says: 'pages fetched at most, exactly',
  },
  max_depth: {
    group: 'scope',
    schema: z.int().min(0).max(1_000),
    fallback: 10,
    says: 'links away from the seed at most',
  },
  include_paths: {
    group: 'scope',
    schema: PathPatterns,
    fallback: [],
    site: true,
    says: 'globs over path and query, or re: before an RE2 expression; only pages that match one are visited',
  },
  exclude_paths: {
    group: 'scope',
    schema: PathPatterns,
    fallback: [],
    site: true,
    says: 'patterns of the same kind; pages that match one are not visited',
  },
  allow_subdomains: {
    group: 'scope',
    schema: z.boolean(),
    fallback: false,
    says: 'whether other hosts of the same site are visited',
  },
  use_sitemap: { group: 'scope', schema: z.boolean(), fallback: true, says: 'whether the site’s sitemaps are read' },
  sitemap_mode: {
    group: 'scope',
    schema: z.enum(['auto', 'only', 'skip']),
    fallback: 'auto',
    says: 'sitemaps beside links, sitemaps alone, or none',
  },
  sitemap_include: {
    group: 'scope',
    schema: PathPatterns,
    fallback: [],
    site: true,
    says: 'only sitemap files whose address matches one are read',
  },
  sitemap_exclude: {
    group: 'scope',
    schema: PathPatterns,
    fallback: [],
    site: true,
    says: 'sitemap files whose address matches one are not read',
  },
  crawl_mode: {
    group: 'scope',
    schema: z.enum(['sitemap_first', 'links_first', 'sitemap_only', 'list_only']),
    fallback: 'sitemap_first',
    says: 'which addresses come first, and which are followed at all',
  },
  url_list: {
    group: 'scope',
    schema: z.array(z.string().max(2_048)).max(50_000),
    fallback: [],
    site: true,
    says: 'addresses to visit beside, or with list_only instead of, what is found',
  },
  feeds: {
    group: 'scope',
    schema: z.array(WebUrl).max(100),
    fallback: [],
    site: true,
    says: 'RSS, Atom and JSON feeds whose entries are visited, too',
  },
  ignore_query: {
    group: 'scope',
    schema: z.array(z.string().min(1).max(100)).max(100),
    fallback: [],
    says: 'query parameters dropped where addresses are compared',
  },
  respect_robots: { group: 'scope', schema: z.boolean(), fallback: true, says: 'whether robots.txt is obeyed' },
  time_limit_minutes: {
    group: 'scope',
    schema: z.int().min(1).max(10_080),
    fallback: 360,
    says: 'minutes a run may take',
  },
} as const;
