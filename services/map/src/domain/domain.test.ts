import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { diffSnapshots, type SnapshotFile, sameDocuments } from './diff-snapshots.ts';
import { readEntries, writeEntries } from './entry-document.ts';
import { Scope, siteKey } from './scope.ts';
import { SectionFinder } from './section.ts';
import { UrlBook } from './url-book.ts';

const file = (url: string, entries: readonly (readonly [string, string])[]): SnapshotFile => ({
  url,
  sha256: JSON.stringify(entries),
  entries: entries.map(([address, lastmod]) => ({ url: address, lastmod, changefreq: '' })),
});

describe('the difference of two trees', () => {
  it('is what came, what went and what was dated anew; an address that moved to another file is in both', () => {
    const before = [
      file('/a', [
        ['1', 'jan'],
        ['2', 'jan'],
        ['4', ''],
      ]),
      file('/b', [['3', 'jan']]),
    ];
    const after = [
      file('/a', [
        ['2', 'feb'],
        ['3', 'jan'],
        ['4', 'jan'],
      ]),
      file('/c', [['5', '']]),
    ];
    expect(diffSnapshots(before, after)).toEqual({
      added: ['5'],
      removed: ['1'],
      updated: ['2'],
      filesAdded: ['/c'],
      filesRemoved: ['/b'],
    });
  });

  it('is empty for the same documents, and turns around with its sides', () => {
    const tree = fc.array(
      fc.record({
        url: fc.constantFrom('/a', '/b', '/c'),
        entries: fc.array(fc.tuple(fc.constantFrom('1', '2', '3'), fc.constantFrom('', 'x', 'y'))),
      }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(tree, tree, (one, other) => {
        const [a, b] = [one, other].map((files) => files.map(({ url, entries }) => file(url, entries)));
        if (a === undefined || b === undefined) return;
        const [there, back] = [diffSnapshots(a, b), diffSnapshots(b, a)];
        expect([back.added, back.removed, back.updated]).toEqual([there.removed, there.added, there.updated]);
        if (sameDocuments(a, b) && a.length === new Set(a.map(({ url }) => url)).size) expect(there.added).toEqual([]);
      }),
    );
  });
});

describe('a file’s document', () => {
  it('is the same in whatever order the entries come, and reads back sorted', () => {
    const entries = ['/b', '/a', '/c'].map((url) => ({ url, lastmod: 'x', changefreq: 'daily' }));
    expect(writeEntries(entries)).toBe(writeEntries(entries.toReversed()));
    expect(readEntries(writeEntries(entries)).map(({ url }) => url)).toEqual(['/a', '/b', '/c']);
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
