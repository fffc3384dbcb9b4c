/** How a page can be found: by plain links, by the sitemaps alone, by the feed alone, by links that scripts write, or not at all. */
export type Reach = 'links' | 'sitemap' | 'feed' | 'scripts' | 'none';

/** One kind of page besides the tree. Counts are a share of the pages of the site, within bounds. */
interface SpecialPages {
  readonly folder: string;
  readonly share: number;
  readonly least: number;
  readonly most: number;
  readonly status: number;
  readonly reach: Reach;
  /** Share of them that the sitemaps list. */
  readonly listed: number;
}

const NO_LIMIT = Number.POSITIVE_INFINITY;

export const SPECIALS = {
  /** Answered at a limited rate; 429 with Retry-After beyond it. */
  limited: { folder: 'limited', share: 0.02, least: 20, most: NO_LIMIT, status: 200, reach: 'links', listed: 0.9 },
  /** 503 at the first request. */
  flaky: { folder: 'bulletins', share: 0.005, least: 5, most: NO_LIMIT, status: 200, reach: 'links', listed: 0.9 },
  /** Its content is written by a script. */
  app: { folder: 'app', share: 0.012, least: 15, most: NO_LIMIT, status: 200, reach: 'links', listed: 0.5 },
  /** Linked by the scripts of the apps alone. */
  script_only: { folder: 'views', share: 0.004, least: 3, most: NO_LIMIT, status: 200, reach: 'scripts', listed: 0 },
  /** An application whose data never arrives. */
  shell: { folder: 'portal', share: 0.003, least: 3, most: NO_LIMIT, status: 200, reach: 'links', listed: 0 },
  /** A login form with status 200. */
  login: { folder: 'members', share: 0.003, least: 3, most: NO_LIMIT, status: 200, reach: 'links', listed: 0 },
  /** 401 without content. */
  refused: { folder: 'staff', share: 0.002, least: 2, most: NO_LIMIT, status: 401, reach: 'links', listed: 0 },
  /** “Page not found” with status 200. */
  soft_404: { folder: 'old', share: 0.004, least: 3, most: NO_LIMIT, status: 200, reach: 'links', listed: 0.2 },
  sitemap_only: { folder: 'records', share: 0.01, least: 3, most: NO_LIMIT, status: 200, reach: 'sitemap', listed: 1 },
  feed_only: { folder: 'notes', share: 0.002, least: 3, most: 20, status: 200, reach: 'feed', listed: 0 },
  orphan: { folder: 'drafts', share: 0.005, least: 3, most: NO_LIMIT, status: 200, reach: 'none', listed: 0 },
  missing: { folder: 'lost', share: 0.01, least: 3, most: NO_LIMIT, status: 404, reach: 'links', listed: 0.2 },
  gone: { folder: 'closed', share: 0.005, least: 3, most: NO_LIMIT, status: 410, reach: 'links', listed: 0 },
  broken: { folder: 'faulty', share: 0.002, least: 2, most: NO_LIMIT, status: 500, reach: 'links', listed: 0 },
  /** robots.txt disallows it. */
  private: { folder: 'private', share: 0.01, least: 3, most: 30, status: 200, reach: 'links', listed: 0 },
  redirect: { folder: 'go', share: 0.02, least: 4, most: NO_LIMIT, status: 301, reach: 'links', listed: 0 },
} as const satisfies Readonly<Record<string, SpecialPages>>;

export type SpecialKind = keyof typeof SPECIALS;

export const SPECIAL_KINDS: readonly SpecialKind[] = Object.keys(SPECIALS).filter(
  (name): name is SpecialKind => name in SPECIALS,
);
