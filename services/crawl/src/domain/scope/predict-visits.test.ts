import { describe, expect, it } from '@jest/globals';
import { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { type KnownPage, predictVisits } from './predict-visits.ts';
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
function judged(page: Partial<Omit<KnownPage, 'key'>>, more: Partial<Scope> = {}): string {
  const scope = scopeOf(more);
  const rules = scopeRules(SEED, scope);
  const url = page.url ?? 'https://site.test/a';
  const key = rules.addressOf(url)?.key ?? Buffer.alloc(32);
  const known = { foundVia: 'link', inSitemap: false, depth: 1, inLinks: 1, isRead: true, ...page, url, key };
  const decision = predictVisits(SEED, scope, rules)(known);
  return decision.follow ? 'visited' : decision.reason;
}

describe('a page that an earlier run knew', () => {
  it.each<[string, Partial<KnownPage>, Partial<Scope>, string]>([
    ['is come by again where it is linked to', {}, {}, 'visited'],
    ['is not where patterns leave it out', {}, { excludePaths: ['/a'] }, 'matches excludePaths /a'],
    ['is not where it lies too deep', { depth: 4 }, {}, 'deeper than max_depth'],
    ['is though it lies deep, where a sitemap names it', { depth: 4, inSitemap: true }, {}, 'visited'],
    ['is not where links are not followed', {}, { sitemapMode: 'only' }, 'links are not followed'],
    [
      'is not where a sitemap alone names it and none is read',
      { foundVia: 'sitemap', inSitemap: true, inLinks: 0 },
      { sitemapMode: 'skip' },
      'only the sitemap names it, which is not read',
    ],
    [
      'is where it is linked to besides',
      { foundVia: 'sitemap', inSitemap: true, inLinks: 2 },
      { sitemapMode: 'skip' },
      'visited',
    ],
    [
      'is linked to though the sitemap’s patterns leave it out',
      { foundVia: 'sitemap', inSitemap: true, inLinks: 2 },
      { sitemapExclude: ['/a'] },
      'visited',
    ],
    ['is where its feed is read', { foundVia: 'feed', inLinks: 0 }, { feeds: ['https://site.test/feed'] }, 'visited'],
    [
      'is not where no feed is',
      { foundVia: 'feed', inLinks: null, isRead: false },
      {},
      'only a feed named it, and feeds are not read',
    ],
    [
      'is where it is listed, whatever else',
      { depth: 9 },
      { urlList: ['https://site.test/a#x'], excludePaths: ['/a'] },
      'visited',
    ],
    ['is not where it is listed no more', { foundVia: 'list', inLinks: 0 }, {}, 'it is not listed any more'],
    [
      'is where it is the seed',
      { url: SEED, foundVia: 'seed', depth: 0, inLinks: 0 },
      { includePaths: ['/x'] },
      'visited',
    ],
    [
      'is not where a list is all that is wanted',
      { foundVia: 'list', inLinks: 0 },
      { crawlMode: 'list_only', urlList: ['https://site.test/b'] },
      'it is not listed any more',
    ],
  ])('%s', (_, page, scope, expected) => {
    expect(judged(page, scope)).toBe(expected);
  });
});
