import { describe, expect, it } from '@jest/globals';
import { DatedBook, dateStamp } from './dated-book.ts';
import { readEntries, writeEntries } from './entry-document.ts';
import { Scope, siteKey } from './scope.ts';
import { SectionFinder } from './section.ts';
import { UrlBook } from './url-book.ts';

describe('a file’s document', () => {
  it('is the same in whatever order the entries come, and reads back sorted', () => {
    const entries = ['/b', '/a', '/c'].map((url) => ({ url, lastmod: 'x', changefreq: 'daily' }));
    expect(writeEntries(entries)).toBe(writeEntries(entries.toReversed()));
    const read = [...readEntries(Buffer.from(writeEntries(entries)), 20)];
    expect(read.map((some) => some.map(({ url }) => url))).toEqual([['/a', '/b'], ['/c']]);
    expect(read[0]?.[0]).toEqual({ url: '/a', lastmod: 'x', changefreq: 'daily' });
  });
});

describe('a site', () => {
  it('is its host under either scheme, with and without www, and its subdomains where they are asked for', () => {
    const has = (asked: string, url: string, allow = false) => new Scope(new URL(asked), allow).has(new URL(url));
    expect(has('https://example.com/', 'http://www.example.com/x')).toBe(true);
    expect(has('https://www.example.com/', 'https://example.com/x')).toBe(true);
    expect(has('https://example.com/', 'https://blog.example.com/')).toBe(false);
    expect(has('https://example.com/', 'https://blog.example.com/', true)).toBe(true);
    expect(has('https://a.github.io/', 'https://b.github.io/', true)).toBe(false);
    expect(has('http://127.0.0.2:80/', 'http://127.0.0.2:81/')).toBe(false);
    expect(siteKey(new URL('https://www.com/'))).toBe('www.com');
  });
});

describe('a section', () => {
  const of = (urls: readonly string[], name: string) => {
    const finder = new SectionFinder();
    for (const url of urls) finder.add(url);
    return finder.of(name);
  };
  it('is the path all addresses share, or else what the file is called', () => {
    expect(of(['http://a/blog/2026/1', 'http://a/blog/2025/2'], 'http://a/s.xml')).toBe('/blog/');
    expect(of(['http://a/blog/1', 'http://a/shop/2'], 'http://a/sitemap-products.xml.gz')).toBe('products');
    expect(of(['http://a/1', 'http://a/2'], 'http://a/sitemap.xml')).toBe('sitemap');
  });
});

describe('the book of addresses', () => {
  it('tells half a million of them apart', () => {
    const book = new UrlBook();
    for (let i = 0; i < 500_000; i += 1) book.add(`https://example.com/products/${i}?page=${i % 7}`);
    expect(book.size).toBe(500_000);
    expect(book.add('https://example.com/products/77?page=0')).toBe(false);
  });
});

describe('the book of dated addresses', () => {
  it('keeps the first date of each of half a million, and knows which were seen', () => {
    const book = new DatedBook();
    const url = (i: number) => `https://example.com/products/${i}?page=${i % 7}`;
    for (let i = 0; i < 500_000; i += 1) book.add(url(i), i + 1);
    for (let i = 0; i < 500_000; i += 1_000) book.add(url(i), 7);
    expect(book.size).toBe(500_000);
    for (let i = 0; i < 500_000; i += 997) {
      expect(book.see(url(i))).toEqual({ stamp: i + 1, again: false });
      expect(book.see(url(i))).toEqual({ stamp: i + 1, again: true });
    }
    expect(book.see('https://example.com/none')).toBeUndefined();
  });

  it('takes dates for what they say, not for how they are written', () => {
    expect(dateStamp('2026-01-01')).toBe(dateStamp('2026-01-01T00:00:00+00:00'));
    expect(dateStamp('2026-01-01T01:00:00+01:00')).toBe(dateStamp('2026-01-01'));
    expect(dateStamp('2026-01-02')).not.toBe(dateStamp('2026-01-01'));
    expect([dateStamp(''), dateStamp('yesterday') === dateStamp('today')]).toEqual([0, false]);
  });
});
