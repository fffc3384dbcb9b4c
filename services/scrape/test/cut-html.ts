import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { Addresses } from '../src/content/links/addresses.ts';
import { contentHash } from '../src/content/blocks/content-hash.ts';
import { cutBlocks } from '../src/content/blocks/cut-blocks.ts';
import { applyFilters } from '../src/content/filters/apply-filters.ts';
import { readHead } from '../src/content/head/read-head.ts';
import { measurePage } from '../src/content/tree/measure-page.ts';
import { parsePage } from '../src/content/tree/parse-page.ts';
import { USUAL_CONTENT } from '../src/content/read-page.ts';
import { Selection } from '../src/content/selectors/selection.ts';

/** A page's blocks: of these parts alone, with these set aside. */
export function cut(html: string, within?: string, setAside?: string): PageBlocks {
  const page = parsePage(html, true);
  measurePage(page);
  const addresses = new Addresses(page, 'https://example.com/a/page');
  const selection = new Selection(page);
  applyFilters(page, USUAL_CONTENT, selection);
  const roots = within === undefined ? undefined : selection.all(within, 'include_selectors');
  const named = new Set(setAside === undefined ? [] : selection.all(setAside, 'volatile_selectors'));
  return cutBlocks({ page, addresses, head: readHead(page, addresses), within: roots, setAside: named });
}
export const textsOf = (html: string): string[] => cut(html).blocks.map(({ text }) => text);
export const hashOf = (html: string): string => contentHash(cut(html)).toString('hex');
export const PROSE = `<p>${'Words that stand in the main part of the page. '.repeat(5)}</p>`;
