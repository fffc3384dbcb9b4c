import { describe, expect, it } from '@jest/globals';
import { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { countCpuMs } from '@tidemark/testkit';
import fc from 'fast-check';
import { checkPatterns, scopeRules } from './scope-rules.ts';

const SEED = 'https://www.example.com/start';
const rulesOf = (more: Partial<Scope> = {}) =>
  scopeRules(SEED, {
    ...Scope.fromPartial({ sitemapMode: 'auto', crawlMode: 'links_first', useSitemap: true }),
    ...more,
  });
const follows = (url: string, more: Partial<Scope> = {}): boolean => rulesOf(more).evaluate(url, 'link').follow;
const keyOf = (url: string, more: Partial<Scope> = {}): string | undefined =>
  rulesOf(more).pageUrlOf(url)?.key.toString('hex');

describe('tracking parameters', () => {
  const keyOf = (url: string, keepTracking: boolean) => rulesOf({ keepTracking }).pageUrlOf(url)?.key.toString('hex');

  it('are dropped when URLs are compared, unless keep_tracking is set', () => {
    const [bare, tracked] = [
      'https://example.com/a?id=1',
      'https://example.com/a?UTM_Source=x&id=1&fbclid=abc&gclid=2',
    ];
    expect(keyOf(tracked, false)).toBe(keyOf(bare, false));
    expect(keyOf(tracked, true)).not.toBe(keyOf(bare, true));
    expect(keyOf('https://example.com/a?id=2', false)).not.toBe(keyOf(bare, false));
  });
});

describe('a glob', () => {
  it.each([
    ['/blog/*', '/blog/a', true],
    ['/blog/*', '/blog/a?c=d', true],
    ['/blog/*', '/blog/a/b', false],
    ['/blog/**', '/blog/a/b?c=d', true],
    ['/blog/*', '/blog', false],
    ['/blog/*', '/weblog/a', false],
    ['/blog/**', '/blog/a/b', true],
    ['/*/edit', '/a/edit', true],
    ['/*/edit', '/a/b/edit', false],
    ['/**/edit', '/a/b/edit', true],
    ['/**/edit', '/edit', true],
    ['/about', '/about', true],
    ['/about', '/about/', true],
    ['/about', '/about?ref=1', true],
    ['/about', '/about/team', false],
    ['about', '/about', true],
    ['*.pdf', '/a/b.pdf', true],
    ['*.pdf', '/a/b.pdfx', false],
    ['/search?q=*', '/search?q=tide', true],
    ['/search?q=*', '/search?x=1', false],
    ['/{de,fr}/*', '/fr/a', true],
    ['/{de,fr}/*', '/en/a', false],
    ['/a.b', '/axb', false],
    ['https://www.example.com/a/*', '/a/b', true],
    ['https://other.example/a/*', '/a/b', false],
    ['re:^/p/\\d+$', '/p/12', true],
    ['re:^/p/\\d+$', '/p/x', false],
  ])('%s takes %s: %s', (pattern, path, takes) => {
    expect(follows(`https://www.example.com${path}`, { includePaths: [pattern] })).toBe(takes);
    expect(follows(`https://www.example.com${path}`, { excludePaths: [pattern] })).toBe(!takes);
  });

  it('that can’t be used is refused by its place, with the reason', () => {
    for (const pattern of ['re:(?=a)', 're:(a', 're:\\1', '', 'x'.repeat(3_000), '/{a']) {
      expect(() =>
        checkPatterns({
          ...Scope.fromPartial({ sitemapMode: 'auto', crawlMode: 'links_first' }),
          includePaths: ['/fine/*', pattern],
        }),
      ).toThrow('pattern 2');
    }
    const many = Array.from({ length: 1_001 }, (_, i) => `/p${i}`);
    expect(() =>
      checkPatterns({ ...Scope.fromPartial({ sitemapMode: 'auto', crawlMode: 'links_first' }), excludePaths: many }),
    ).toThrow('config.exclude_paths');
  });

  it('with exponential backtracking elsewhere is matched in linear time', () => {
    const evil = [
      're:(a+)+$',
      're:(.*a){20}',
      're:^(([a-z])+.)+[A-Z]([a-z])+$',
      '/**/**/**/**/x',
      `/${'{a,b}'.repeat(30)}`,
    ];
    checkPatterns({ ...Scope.fromPartial({ sitemapMode: 'auto', crawlMode: 'links_first' }), excludePaths: evil });
    const rules = rulesOf({ excludePaths: evil });
    const cpuMs = countCpuMs();
    for (let i = 0; i < 20; i += 1) rules.evaluate(`https://www.example.com/${'a'.repeat(1_900)}${i}!`, 'link');
    expect(cpuMs()).toBeLessThan(2_000);
  });
});

describe('what a run may visit', () => {
  it('is its site under either scheme, with or without www, on its port', () => {
    expect(
      ['http://example.com/', 'https://www.example.com/a', 'http://www.example.com./'].map((url) => follows(url)),
    ).toEqual([true, true, true]);
    expect(
      ['https://shop.example.com/', 'https://example.com:8443/', 'https://example.org/', 'https://notexample.com/'].map(
        (url) => follows(url),
      ),
    ).toEqual([false, false, false, false]);
    expect(follows('https://shop.example.com/', { allowSubdomains: true })).toBe(true);
    expect(follows('https://notexample.com/', { allowSubdomains: true })).toBe(false);
  });

  it('is pages and documents, never files that hold none or other kinds of URL', () => {
    const no = ['/a.zip', '/film.MP4', '/x.css?v=1', '/lib.js'].map((path) => `https://example.com${path}`);
    for (const url of [...no, 'ftp://example.com/a', 'mailto:a@example.com', 'javascript:void(0)', 'tel:1', '//', '']) {
      expect([url, follows(url)]).toEqual([url, false]);
    }
    const yes = ['/a.pdf', '/b.docx', '/c.html', '/v1.2', '/archive.zip/about', '/a.php?f=x.zip'];
    for (const path of yes) expect([path, follows(`https://example.com${path}`)]).toEqual([path, true]);
  });

  it('says why a URL is left out', () => {
    const result = rulesOf({ excludePaths: ['/tag/*'] }).evaluate('https://example.com/tag/a', 'link');
    expect(result).toEqual({ follow: false, reason: 'matches exclude_paths /tag/*' });
  });
});

describe('two URLs are one page', () => {
  it.each([
    ['/a?sid=0123456789abcdef0123456789abcdef', '/a'],
    ['/a;jsessionid=AB12.node1?x=1', '/a?x=1'],
    ['/a?PHPSESSID=xyz&b=1', '/a?b=1'],
    ['/a?b=1&b2=2#top', '/a?b=1&b2=2'],
  ])('%s and %s', (one, other) => {
    expect(keyOf(`https://example.com${one}`)).toBe(keyOf(`https://example.com${other}`));
  });

  it.each([
    ['/a?sid=12', '/a'],
    ['/a?s=tide', '/a'],
    ['/a?page=2', '/a'],
    ['/a?b=1&a=2', '/a?a=2&b=1'],
  ])('but not %s and %s', (one, other) => {
    expect(keyOf(`https://example.com${one}`)).not.toBe(keyOf(`https://example.com${other}`));
  });

  it('where they differ in parameters that are ignored, whatever their order and number', () => {
    const word = fc.stringMatching(/^[a-z0-9]{0,5}$/);
    const parameters = fc.array(fc.tuple(fc.constantFrom('utm_source', 'utm_x', 'ref', 'page', 'q'), word), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(parameters, word, (pairs, path) => {
        const textOf = (list: typeof pairs) => list.map(([name, value]) => `${name}=${value}`).join('&');
        const kept = pairs.filter(([name]) => name === 'page' || name === 'q');
        const ignoreQuery = ['utm_*', 'ref'];
        const whole = keyOf(`https://example.com/${path}?${textOf(pairs)}`, { ignoreQuery });
        const bare = kept.length === 0 ? '' : `?${textOf(kept)}`;
        return whole === keyOf(`https://example.com/${path}${bare}`, { ignoreQuery });
      }),
    );
  });
});

describe('ScopeRules.evaluate', () => {
  it('never throws, whatever it is given, and is the same twice', () => {
    const rules = rulesOf({
      includePaths: ['/a/*'],
      excludePaths: ['re:x+'],
      ignoreQuery: ['a*'],
      allowSubdomains: true,
    });
    const url = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'binary' }).map((tail) => `https://example.com/${tail}`),
      fc.webPath().map((path) => `https://www.example.com/a${path}?a1=2&b=%zz`),
    );
    fc.assert(
      fc.property(url, (text) => {
        const result = rules.evaluate(text, 'link');
        if (!result.follow) return result.reason !== '';
        const again = rules.evaluate(result.page.url, 'link');
        return again.follow && again.page.key.equals(result.page.key) && again.page.url === result.page.url;
      }),
      { numRuns: 2_000 },
    );
  });
});
