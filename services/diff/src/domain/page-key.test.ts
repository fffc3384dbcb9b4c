import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { folderOf, isFrontPage, pageKey } from './page-key.ts';

describe('pageKey', () => {
  it.each([
    ['http://example.com', 'https://example.com/'],
    ['https://EXAMPLE.com:443/a/', 'http://example.com/a'],
    ['http://example.com/a#top', 'http://example.com/a'],
    ['http://bücher.example/%7Ea', 'http://xn--bcher-kva.example/~a'],
    ['http://example.com/?utm_source=x&gclid=1', 'http://example.com/'],
    ['http://example.com/?b=2&a=1&utm_medium=y', 'http://example.com?a=1&b=2'],
    ['http://example.com/a;jsessionid=12AB?x=1', 'http://example.com/a?x=1'],
    ['http://example.com/(S(abc123))/a', 'http://example.com/a'],
    ['http://example.com/a?PHPSESSID=1', 'http://example.com/a/'],
  ])('maps %s and %s to the same key', (a, b) => {
    expect(pageKey(a)).toBe(pageKey(b));
  });

  it.each([
    ['http://example.com/a', 'http://example.com/A'],
    ['http://example.com/?p=1', 'http://example.com/?p=2'],
    ['http://example.com/?a=1&a=2', 'http://example.com/?a=2&a=1'],
    ['http://example.com:8080/', 'http://example.com/'],
    ['http://www.example.com/', 'http://example.com/'],
    ['http://example.com/index.html', 'http://example.com/'],
  ])('maps %s and %s to different keys', (a, b) => {
    expect(pageKey(a)).not.toBe(pageKey(b));
  });

  it('omits query parameters that the project ignores', () => {
    expect(pageKey('http://example.com/a?lang=en&p=1', { ignoreQuery: new Set(['lang']), keepTracking: false })).toBe(
      'example.com/a?p=1',
    );
    const kept = { ignoreQuery: new Set<string>(), keepTracking: true };
    expect(pageKey('http://example.com/a?utm_source=x', kept)).toBe('example.com/a?utm_source=x');
  });

  it('returns an ASCII key that maps to itself', () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
        const key = pageKey(url);
        expect(pageKey(`http://${key}`)).toBe(key);
        expect(key).toMatch(/^[\x21-\x7e]*$/);
      }),
    );
  });
});

describe('pageKey for long or invalid URLs', () => {
  const long = 'x'.repeat(5_000);

  it('returns a key within the index limit that is unique to the page', () => {
    const [one, other] = [pageKey(`http://example.com/${long}1`), pageKey(`http://example.com/${long}2`)];
    expect(one.length).toBeLessThanOrEqual(1_500);
    expect(one).toMatch(/^example\.com\/x+~[0-9a-f]{64}$/);
    expect(other).not.toBe(one);
    expect(pageKey(`https://example.com/${long}1/`)).toBe(one);
  });

  it('returns an ASCII key for any input', () => {
    for (const input of ['no URL at all', `nö ${long}`, 'ü'.repeat(1_400), '\0\ud800']) {
      expect(pageKey(input)).toMatch(/^[\x21-\x7e]*$/);
      expect(pageKey(input).length).toBeLessThanOrEqual(1_500);
    }
  });
});

it('folderOf returns the host and the first path segment, or the host alone for a top-level page', () => {
  expect(['a.example', 'a.example/x', 'a.example/x/y?z=1/2', 'a.example?q=/1'].map(folderOf)).toEqual([
    'a.example',
    'a.example',
    'a.example/x',
    'a.example',
  ]);
  expect(['a.example', 'a.example/x', 'a.example?q=1'].map(isFrontPage)).toEqual([true, false, false]);
});
