import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { HeadData } from '../head/read-head.ts';
import type { Addresses } from '../links/addresses.ts';
import type { Selection } from '../selectors/selection.ts';
import type { Element, Page } from '../tree/page-tree.ts';
import { cutBlocks } from './cut-blocks.ts';

/** How a page is cut into what comparisons work on. */
export interface CutWant {
  /** CSS: what matches changes by itself, and its blocks are set aside. */
  readonly volatileSelectors: readonly string[];
}

export interface CutPageInput {
  readonly page: Page;
  readonly addresses: Addresses;
  readonly head: HeadData;
  readonly selection: Selection;
  /** What the include selectors chose; undefined: the whole page is read. */
  readonly included: readonly Element[] | undefined;
}

const VOLATILE_CAP = 100;

/** Cuts a page that has been read. */
export function cutPage({ page, selection, included, ...rest }: CutPageInput, want: CutWant): PageBlocks {
  const within = included?.map((element) => placeOf(element, page));
  const setAside = new Set<Element>();
  for (const selector of want.volatileSelectors.slice(0, VOLATILE_CAP))
    for (const element of selection.all(selector, 'volatile_selectors')) setAside.add(placeOf(element, page));
  return cutBlocks({ page, within, setAside, ...rest });
}

/** Texts are read from the body on. */
const placeOf = (element: Element, page: Page): Element => (element === page.root ? page.body : element);
