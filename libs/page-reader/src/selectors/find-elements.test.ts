import { describe, expect, it } from '@jest/globals';
import { rawText } from '../tree/page-tree.ts';
import { parsePage } from '../tree/parse-page.ts';
import { findElements } from './find-elements.ts';

const found = (html: string, selector: string): string[] =>
  findElements(parsePage(html, { keepsAllAttributes: true }), selector).map((element) => rawText(element));

describe('findElements', () => {
  const html = '<table><tr><td class="price" data-x="1">5</td><td><a href="/b">6</a></td></table>';

  it('runs CSS and XPath on the tree of the standard', () => {
    expect(found(html, 'table > tbody td.price')).toEqual(['5']);
    expect(found(html, '//tbody/tr/td[@data-x="1"]')).toEqual(['5']);
  });

  it('returns the element of a path that ends at an attribute or a text', () => {
    expect(found(html, '//td/a/@href')).toEqual(['6']);
    expect(found(html, '//td[1]/text()')).toEqual(['5']);
  });

  it.each(['', 'td:', '//td[', 'a::before', 'p'.repeat(2_000), 'count(//td)'])('returns nothing for %j', (selector) =>
    expect(found(html, selector)).toEqual([]),
  );

  it('returns nothing for a selector above the limit of steps', () => {
    expect(found('<div><p>'.repeat(6_000), 'div:has(p:has(div)) ~ div:not(:has(span)) * *')).toEqual([]);
    expect(found('<div><p>'.repeat(6_000), 'div ~ div div ~ p div ~ div * ~ * *')).toEqual([]);
  });
});
