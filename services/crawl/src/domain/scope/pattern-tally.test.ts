import { describe, expect, it } from '@jest/globals';
import { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import fc from 'fast-check';
import { PatternTally } from './pattern-tally.ts';
import { compilePatterns } from './url-patterns.ts';

describe('patterns', () => {
  it('are each counted for every URL they match, of paths and whole URLs, in their order', () => {
    const includePaths = ['https://site.test/a*', '/a/*', 're:1$', '/nothing'];
    const tally = new PatternTally(
      Scope.fromPartial({ sitemapMode: 'auto', crawlMode: 'links_first', includePaths, sitemapExclude: ['/a/*'] }),
      1,
    );
    tally.take('https://site.test/a/1');
    tally.take('https://site.test/a/2');
    tally.take('https://site.test/about');
    tally.take('no URL');
    tally.takeFile('https://site.test/a/sitemap.xml');
    expect(tally.counted()).toEqual([
      { field: 'include_paths', pattern: includePaths[0], urls: 1, samples: ['https://site.test/about'] },
      { field: 'include_paths', pattern: '/a/*', urls: 2, samples: ['https://site.test/a/1'] },
      { field: 'include_paths', pattern: 're:1$', urls: 1, samples: ['https://site.test/a/1'] },
      { field: 'include_paths', pattern: '/nothing', urls: 0, samples: [] },
      { field: 'sitemap_exclude', pattern: '/a/*', urls: 1, samples: ['https://site.test/a/sitemap.xml'] },
    ]);
  });

  it('match together as each does alone', () => {
    const pattern = fc.constantFrom('/a/*', '*b', 're:c+', '/a/**/c', 'https://x.test/b*', '/{a,b}', '/a?q=1');
    const path = fc.stringMatching(/^(\/[abc]{0,3}){0,4}(\?q=[1-2])?$/);
    fc.assert(
      fc.property(fc.uniqueArray(pattern), path, (patterns, tail) => {
        const url = new URL(`https://x.test${tail.startsWith('/') ? '' : '/'}${tail}`);
        const alone = patterns.flatMap((one, at) => (compilePatterns([one]).match(url) === undefined ? [] : [at]));
        const together = compilePatterns(patterns);
        expect([...together.matchAll(url)].sort()).toEqual(alone);
        expect(together.match(url) !== undefined).toBe(alone.length > 0);
      }),
    );
  });
});
