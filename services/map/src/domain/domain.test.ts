import { describe, expect, it } from '@jest/globals';
import { dateStamp } from './date-stamp.ts';
import { Scope, siteKey } from './scope.ts';
import { SectionFinder } from './section.ts';
import { UrlTable } from './url-table.ts';

describe('Scope', () => {
  it('matches a host with and without www under either scheme, and its subdomains only if they are allowed', () => {
    const has = (siteUrl: string, url: string, allowSubdomains = false) =>
      new Scope(new URL(siteUrl), allowSubdomains).has(new URL(url));
    expect(has('https://example.com/', 'http://www.example.com/x')).toBe(true);
    expect(has('https://www.example.com/', 'https://example.com/x')).toBe(true);
    expect(has('https://example.com/', 'https://blog.example.com/')).toBe(false);
    expect(has('https://example.com/', 'https://blog.example.com/', true)).toBe(true);
    expect(has('https://a.github.io/', 'https://b.github.io/', true)).toBe(false);
    expect(has('http://127.0.0.2:80/', 'http://127.0.0.2:81/')).toBe(false);
    expect(siteKey(new URL('https://www.com/'))).toBe('www.com');
  });
});

describe('SectionFinder', () => {
  const of = (urls: readonly string[], name: string) => {
    const finder = new SectionFinder();
    for (const url of urls) finder.add(url);
    return finder.of(name);
  };
  it('returns the path that all URLs share, or the name of the file if they share none', () => {
    expect(of(['http://a/blog/2026/1', 'http://a/blog/2025/2'], 'http://a/s.xml')).toBe('/blog/');
    expect(of(['http://a/blog/1', 'http://a/shop/2'], 'http://a/sitemap-products.xml.gz')).toBe('products');
    expect(of(['http://a/1', 'http://a/2'], 'http://a/sitemap.xml')).toBe('sitemap');
  });
});

describe('UrlTable', () => {
  const url = (i: number) => `https://example.com/products/${i}?page=${i % 7}`;

  it('distinguishes half a million URLs', () => {
    const table = new UrlTable();
    for (let i = 0; i < 500_000; i += 1) table.add(url(i));
    expect(table.size).toBe(500_000);
    expect(table.add(url(77))).toBe(false);
  });

  it('stores the first date stamp of each of half a million URLs and whether it was visited', () => {
    const table = new UrlTable({ dated: true });
    for (let i = 0; i < 500_000; i += 1) table.add(url(i), i + 1);
    for (let i = 0; i < 500_000; i += 1_000) table.add(url(i), 7);
    expect(table.size).toBe(500_000);
    for (let i = 0; i < 500_000; i += 997) {
      expect(table.visit(url(i))).toEqual({ stamp: i + 1, visited: false });
      expect(table.visit(url(i))).toEqual({ stamp: i + 1, visited: true });
    }
    expect(table.visit('https://example.com/none')).toBeUndefined();
  });
});

describe('dateStamp', () => {
  it('is equal for dates that name the same second, however they are written', () => {
    expect(dateStamp('2026-01-01')).toBe(dateStamp('2026-01-01T00:00:00+00:00'));
    expect(dateStamp('2026-01-01T01:00:00+01:00')).toBe(dateStamp('2026-01-01'));
    expect(dateStamp('2026-01-02')).not.toBe(dateStamp('2026-01-01'));
    expect([dateStamp(''), dateStamp('yesterday') === dateStamp('today')]).toEqual([0, false]);
  });
});
