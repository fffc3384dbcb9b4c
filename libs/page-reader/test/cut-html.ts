import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { contentHash } from '../src/blocks/content-hash.ts';
import { cutBlocks } from '../src/blocks/cut-blocks.ts';
import { applyFilters } from '../src/filters/apply-filters.ts';
import { readHead } from '../src/head/read-head.ts';
import { UrlResolver } from '../src/links/url-resolver.ts';
import { USUAL_CONTENT } from '../src/options/usual-content.ts';
import { CssSearch } from '../src/selectors/css-search.ts';
import { measurePage } from '../src/tree/measure-page.ts';
import type { Element } from '../src/tree/page-tree.ts';
import { parsePage } from '../src/tree/parse-page.ts';

/** Returns the blocks of a page: optionally only of some elements, and with volatile elements. */
export function cut(html: string, within?: string, volatile?: string): PageBlocks {
  const page = parsePage(html, { keepsAllAttributes: true });
  measurePage(page);
  const urls = new UrlResolver(page, 'https://example.com/a/page');
  const css = new CssSearch(page);
  applyFilters(page, USUAL_CONTENT, css);
  const roots = within === undefined ? undefined : css.all(within, 'include_selectors');
  const named = new Set(volatile === undefined ? [] : css.all(volatile, 'volatile_selectors'));
  const shown = { roots: new Set<Element>(roots), skip: 0, textSkip: 0, isMain: false };
  return cutBlocks({ page, urls, head: readHead(page, urls), shown, within: roots, volatile: named });
}
export const textsOf = (html: string): string[] => cut(html).blocks.map(({ text }) => text);
export const hashOf = (html: string): string => contentHash(cut(html)).toString('hex');
export const PROSE = `<p>${'Words that stand in the main part of the page. '.repeat(5)}</p>`;
