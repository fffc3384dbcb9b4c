import { describe, expect, it } from '@jest/globals';
import { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { type EarlierPage, predictVisits } from './predict-visits.ts';
import { scopeRules } from './scope-rules.ts';

const SEED = 'https://site.test/';
const scopeOf = (more: Partial<Scope>) =>
  Scope.fromPartial({
    maxPages: 10,
    maxDepth: 3,
    useSitemap: true,
    sitemapMode: 'auto',
    crawlMode: 'sitemap_first',
    ...more,
  });

/** What becomes of a page that is known so, under a scope: `visited`, or why it isn't. */
function predicted(page: Partial<Omit<EarlierPage, 'key'>>, more: Partial<Scope> = {}): string {
  const scope = scopeOf(more);
  const rules = scopeRules(SEED, scope);
  const url = page.url ?? 'https://site.test/a';
  const key = rules.pageUrlOf(url)?.key ?? Buffer.alloc(32);
  const known = {
    foundVia: 'link',
    inSitemap: false,
    inFeed: false,
    depth: 1,
    inLinks: 1,
    isRead: true,
    ...page,
    url,
    key,
  };
  const decision = predictVisits(SEED, scope, rules)(known);
  return decision.follow ? 'visited' : decision.reason;
}

describe('a page that an earlier run knew', () => {
  it.each<[string, Partial<EarlierPage>, Partial<Scope>, string]>([
    ['is visited if it is linked to', {}, {}, 'visited'],
    ['is not visited if patterns exclude it', {}, { excludePaths: ['/a'] }, 'matches exclude_paths /a'],
    ['is not visited if it is too deep', { depth: 4 }, {}, 'deeper than max_depth'],
    ['is visited at any depth if a sitemap contains it', { depth: 4, inSitemap: true }, {}, 'visited'],
    ['is not visited if links are not followed', {}, { sitemapMode: 'only' }, 'links are not followed'],
    [
      'is not visited if only a sitemap contains it and none is read',
      { foundVia: 'sitemap', inSitemap: true, inLinks: 0 },
      { sitemapMode: 'skip' },
      'only the sitemap contains it, which is not read',
    ],
    [
      'is visited if it is in the sitemap and linked to',
      { foundVia: 'sitemap', inSitemap: true, inLinks: 2 },
      { sitemapMode: 'skip' },
      'visited',
    ],
    [
      'is visited if sitemap_exclude matches it, since the pattern concerns sitemap files',
      { foundVia: 'sitemap', inSitemap: true, inLinks: 0 },
      { sitemapExclude: ['/a'] },
      'visited',
    ],
    [
      'is visited if it is linked to and only sitemap files that are left out contain it',
      { foundVia: 'sitemap', inSitemap: true, isInLeftOutFile: true, inLinks: 2 },
      {},
      'visited',
    ],
    [
      'is not visited if only sitemap files that are left out contain it',
      { foundVia: 'sitemap', inSitemap: true, isInLeftOutFile: true, inLinks: 0 },
      {},
      'sitemap_include and sitemap_exclude leave out the sitemap files that contain it',
    ],
    [
      'is visited if its feed is read',
      { foundVia: 'sitemap', inFeed: true, inLinks: 0 },
      { feeds: ['https://site.test/feed'] },
      'visited',
    ],
    [
      'is not visited if feeds are not read',
      { foundVia: 'feed', inFeed: true, inLinks: null, isRead: false },
      {},
      'only a feed contained it, and feeds are not read',
    ],
    [
      'is visited if it is listed, regardless of patterns',
      { depth: 9 },
      { urlList: ['https://site.test/a#x'], excludePaths: ['/a'] },
      'visited',
    ],
    ['is not visited if it is no longer listed', { foundVia: 'list', inLinks: 0 }, {}, 'it is no longer listed'],
    [
      'is visited if it is the seed',
      { url: SEED, foundVia: 'seed', depth: 0, inLinks: 0 },
      { includePaths: ['/x'] },
      'visited',
    ],
    [
      'is not visited in the mode list_only if it is not listed',
      { foundVia: 'list', inLinks: 0 },
      { crawlMode: 'list_only', urlList: ['https://site.test/b'] },
      'it is no longer listed',
    ],
  ])('%s', (_, page, scope, expected) => {
    expect(predicted(page, scope)).toBe(expected);
  });
});
