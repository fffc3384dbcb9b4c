import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';
import type { PageLink } from './read-links.ts';

const links = (html: string): PageLink[] =>
  readPage({ html, url: 'https://www.site.example/dir/page', content: USUAL_CONTENT, outputs: new Set(['links']) })
    .links ?? [];

const notesOf = (html: string): string[] =>
  readPage({ html, url: 'https://site.example/', content: USUAL_CONTENT, outputs: new Set(['links']) }).notes;

describe('readLinks', () => {
  it('returns the links of the whole page, absolute, once per URL, with their first text', () => {
    expect(
      links('<nav><a href="/a#x">One</a></nav><p><a href="/a">Two</a><a href="b"></a><a href="b">Late</a></p>'),
    ).toEqual([
      { url: 'https://www.site.example/a', text: 'One', kind: 'internal' },
      { url: 'https://www.site.example/dir/b', text: 'Late', kind: 'internal' },
    ]);
  });

  it("resolves links against the page's base element", () => {
    expect(links('<head><base href="https://cdn.example/root/"></head><a href="x">x</a>')[0]?.url).toBe(
      'https://cdn.example/root/x',
    );
  });

  it('classifies links as internal (with or without www), external, asset or contact', () => {
    const html =
      '<a href="https://site.example/">1</a><a href="https://other.example/">2</a><a href="/f.pdf">3</a><a href="mailto:a@b.example">4</a>';
    expect(links(html).map((link) => link.kind)).toEqual(['internal', 'external', 'asset', 'contact']);
  });

  it('drops script URLs, and returns rel and at most 300 characters of text', () => {
    expect(
      links('<a href="javascript:x()">a</a><a href="data:text/html,x">b</a><a href="?c">c</a>').map(
        (link) => link.text,
      ),
    ).toEqual(['c']);
    const [link] = links(`<a href="/x" rel="NoFollow  ugc">${'word '.repeat(200)}</a>`);
    expect(link?.rel).toBe('nofollow ugc');
    expect(link?.text.length).toBeLessThanOrEqual(300);
  });

  it('returns at most ten thousand links, and notes that there are more', () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => `<a href="/${at}">x</a>`).join('');
    expect(links(many(12_000))).toHaveLength(10_000);
    expect(notesOf(many(12_000))).toContain('truncated links');
    expect(notesOf(many(10_000))).toEqual([]);
  });

  it('returns at most two million characters of links, however long each of them is', () => {
    const html = Array.from({ length: 2_000 }, (_, at) => `<a href="/${'x'.repeat(4_000)}${at}">x</a>`).join('');
    expect(JSON.stringify(links(html)).length).toBeLessThan(2_200_000);
    expect(notesOf(html)).toContain('truncated links');
  });
});
