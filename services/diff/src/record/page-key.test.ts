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
  ])('%s is the same page as %s', (a, b) => {
    expect(pageKey(a)).toBe(pageKey(b));
  });

  it.each([
    ['http://example.com/a', 'http://example.com/A'],
    ['http://example.com/?p=1', 'http://example.com/?p=2'],
    ['http://example.com/?a=1&a=2', 'http://example.com/?a=2&a=1'],
    ['http://example.com:8080/', 'http://example.com/'],
    ['http://www.example.com/', 'http://example.com/'],
    ['http://example.com/index.html', 'http://example.com/'],
  ])('%s and %s are two pages until seen to be one', (a, b) => {
    expect(pageKey(a)).not.toBe(pageKey(b));
  });

  it('leaves out the parameters that the project ignores', () => {
    expect(pageKey('http://example.com/a?lang=en&p=1', new Set(['lang']))).toBe('example.com/a?p=1');
  });

  it('is the key of the page it names, and plain ASCII', () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
        const key = pageKey(url);
        expect(pageKey(`http://${key}`)).toBe(key);
        expect(key).toMatch(/^[\x21-\x7e]*$/);
      }),
    );
  });
});

it('a page is of the folder that its path begins with, pages at the top of none', () => {
  expect(['a.example', 'a.example/x', 'a.example/x/y?z=1/2', 'a.example?q=/1'].map(folderOf)).toEqual([
    'a.example',
    'a.example',
    'a.example/x',
    'a.example',
  ]);
  expect(['a.example', 'a.example/x', 'a.example?q=1'].map(isFrontPage)).toEqual([true, false, false]);
});
