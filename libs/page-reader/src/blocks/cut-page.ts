import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { HeadData } from '../head/read-head.ts';
import type { UrlResolver } from '../links/url-resolver.ts';
import type { CssSearch } from '../selectors/css-search.ts';
import type { Element, Page } from '../tree/page-tree.ts';
import type { ShownContent } from './block-cutter.ts';
import { cutBlocks } from './cut-blocks.ts';
import { VOLATILE_CAP } from './thresholds.ts';

/** How a page is cut for comparisons. */
export interface CutOptions {
  /** CSS. Matched elements have volatile content; their blocks are set aside. */
  readonly volatileSelectors: readonly string[];
}

export interface CutPageInput {
  readonly page: Page;
  readonly urls: UrlResolver;
  readonly head: HeadData;
  readonly css: CssSearch;
  readonly shown: ShownContent;
  /** Elements selected by the include selectors; undefined: the whole page. */
  readonly included: readonly Element[] | undefined;
  /** The content is the main content, without boilerplate. */
  readonly dropsBoilerplate: boolean;
}

/** Cuts a page that has been read into blocks: the whole page, or its included elements. */
export function cutPage(
  { page, urls, head, css, shown, included, dropsBoilerplate }: CutPageInput,
  { volatileSelectors }: CutOptions,
): PageBlocks {
  const within = included?.map((element) => containerOf(element, page));
  const volatile = new Set<Element>();
  for (const selector of volatileSelectors.slice(0, VOLATILE_CAP))
    for (const element of css.all(selector, 'volatile_selectors')) volatile.add(containerOf(element, page));
  return cutBlocks({ page, urls, head, shown, within, volatile, dropsBoilerplate });
}

/** Blocks are cut from the body down. */
const containerOf = (element: Element, page: Page): Element => (element === page.root ? page.body : element);
