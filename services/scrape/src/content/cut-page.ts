import type { Block, PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import type { Addresses } from './address.ts';
import { cutBlocks } from './blocks/cut-blocks.ts';
import type { HeadData } from './head.ts';
import type { Selection } from './select.ts';
import { type Element, Mark, type Page } from './tree.ts';

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

/** Cuts a page that has been read. The last that is done with its tree: what selectors name stands apart in it from here on. */
export function cutPage({ page, selection, included, ...rest }: CutPageInput, want: CutWant): PageBlocks {
  const within = included?.map((element) => placeOf(element, page));
  const setAside = want.volatileSelectors
    .slice(0, VOLATILE_CAP)
    .flatMap((selector) => selection.all(selector, 'volatile_selectors'))
    .map((element) => placeOf(element, page));
  // Text of an element that was named is never part of a block around it.
  for (const element of within ?? []) element.marks |= Mark.blocky;
  for (const element of setAside) element.marks |= Mark.blocky;
  const whole = cutBlocks({ page, within, ...rest });
  if (setAside.length === 0) return whole;
  const named = within === undefined ? setAside : sharedBy(page.body, new Set(within), new Set(setAside));
  return { ...whole, blocks: setAsideIn(whole, cutBlocks({ page, within: named, ...rest })) };
}

/** Texts are read from the body on. */
const placeOf = (element: Element, page: Page): Element => (element === page.root ? page.body : element);

/** The outermost elements that are, or are inside, one of both kinds. */
function sharedBy(body: Element, one: ReadonlySet<Element>, other: ReadonlySet<Element>): Element[] {
  const shared: Element[] = [];
  const visit = (element: Element, aroundOne: boolean, aroundOther: boolean): void => {
    const inOne = aroundOne || one.has(element);
    const inOther = aroundOther || other.has(element);
    if (inOne && inOther) shared.push(element);
    else for (const child of element.children) if (typeof child !== 'string') visit(child, inOne, inOther);
  };
  visit(body, false, false);
  return shared;
}

/** Marks the blocks of a page that a part of it holds, too: both are in the order of the page. */
function setAsideIn(whole: PageBlocks, part: PageBlocks): Block[] {
  let next = 0;
  return whole.blocks.map((block) => {
    const named = part.blocks[next];
    if (named === undefined || !isSame(block, whole, named, part)) return block;
    next += 1;
    return { ...block, isSetAside: true };
  });
}

/** Of the same words at the same place. Places beyond those that are kept say nothing. */
function isSame(block: Block, whole: PageBlocks, named: Block, part: PageBlocks): boolean {
  if (block.kind !== named.kind || !block.hash.equals(named.hash)) return false;
  if (block.anchor === 0 || named.anchor === 0) return true;
  return whole.anchors[block.anchor - 1] === part.anchors[named.anchor - 1];
}
