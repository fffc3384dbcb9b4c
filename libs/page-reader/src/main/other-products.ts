import { makeOf } from '../tree/make-of.ts';
import { type Element, Flag, findFirst, isElement, isWithin, visibleLine } from '../tree/page-tree.ts';
import { isHeadingTag, isLeaf, isLeftOut } from './prose.ts';
import {
  CARD_WORDS,
  OTHER_PRODUCTS_LABEL_WORDS,
  OTHER_PRODUCTS_LINE_CHARS,
  OTHER_PRODUCTS_RUN_LENGTH,
  OTHER_PRODUCTS_SIBLINGS_CAP,
  PRICED_SHARE,
} from './thresholds.ts';

/** An amount with the sign of a currency, with decimals, or with groups of thousands. */
const PRICE = /\p{Sc}\s?\d|\d\s?\p{Sc}|\d[.,]\d{2,3}(?!\d)/u;

/**
 * Marks other products of a page that presents one: runs of like cards that link to different pages and show a price,
 * together with the heading above them. Variants of the product link to its own page, or to none. Runs before the choice
 * of the main element, which a long row of cards would win. Effect over five folds by domain (WCXB): collection +0.011
 * (two pages of departments that declare a product), product +0.003; nine of ten pages gain.
 */
export function dropOtherProducts(body: Element, headline: Element | undefined, url: string): void {
  const ownPath = pathOf(url);
  const visit = (element: Element): void => {
    const shown = element.children.filter((child): child is Element => isElement(child) && isShown(child));
    for (const run of runsOf(shown)) if (isOfOtherProducts(run, headline, ownPath)) dropRun(element, run, headline);
    for (const child of shown) if (!isLeaf(child) && !isLeftOut(child)) visit(child);
  };
  visit(body);
}

const isShown = (element: Element): boolean => element.words > 0 && !isLeftOut(element);

/** Groups siblings by make. Rows of tables compare offers of one product. */
function runsOf(siblings: readonly Element[]): Element[][] {
  if (siblings.length < OTHER_PRODUCTS_RUN_LENGTH || siblings.length > OTHER_PRODUCTS_SIBLINGS_CAP) return [];
  const byMake = new Map<string, Element[]>();
  for (const sibling of siblings) {
    if (sibling.tag === 'tr' || sibling.words > CARD_WORDS) continue;
    const make = makeOf(sibling);
    const run = byMake.get(make);
    if (run) run.push(sibling);
    else byMake.set(make, [sibling]);
  }
  return [...byMake.values()].filter((run) => run.length >= OTHER_PRODUCTS_RUN_LENGTH);
}

function isOfOtherProducts(run: readonly Element[], headline: Element | undefined, ownPath: string): boolean {
  if (headline && run.some((card) => isWithin(headline, card))) return false;
  const paths = new Set<string>();
  for (const card of run) {
    const path = targetOf(card);
    if (path !== undefined && path !== ownPath) paths.add(path);
  }
  if (paths.size < run.length * PRICED_SHARE || paths.size < OTHER_PRODUCTS_RUN_LENGTH) return false;
  return (
    run.filter((card) => PRICE.test(visibleLine(card, OTHER_PRODUCTS_LINE_CHARS))).length >= run.length * PRICED_SHARE
  );
}

/** Returns the path of the first page that a card links to. */
function targetOf(card: Element): string | undefined {
  const link = pageOf(card) === undefined ? findFirst(card, (inner) => pageOf(inner) !== undefined) : card;
  return link && pathOf(pageOf(link) ?? '');
}

/** Returns the URL of a link, if it is that of a page. */
function pageOf({ tag, attributes: { href } }: Element): string | undefined {
  return tag === 'a' && href !== undefined && !/^(?:#|\w+:(?!\/\/)|$)/.test(href) ? href : undefined;
}

const pathOf = (href: string): string => href.replace(/^\w*:?\/\/[^/]+/, '').replace(/[?#].*$/, '');

/** Marks the cards, and the box around them that holds little else. */
function dropRun(parent: Element, run: readonly Element[], headline: Element | undefined): void {
  const words = run.reduce((sum, card) => sum + card.words, 0);
  let box: Element | undefined;
  for (let up: Element | undefined = parent; up && up.tag !== 'body'; up = up.parent) {
    if (up.words - words > OTHER_PRODUCTS_LABEL_WORDS || (headline && isWithin(headline, up))) break;
    box = up;
  }
  if (box) box.flags |= Flag.boilerplate;
  else for (const card of run) card.flags |= Flag.boilerplate;
  dropHeadingBefore(box ?? run[0]);
}

function dropHeadingBefore(element: Element | undefined): void {
  const siblings = element?.parent?.children ?? [];
  if (!element || siblings.length > OTHER_PRODUCTS_SIBLINGS_CAP) return;
  const before = siblings.slice(0, siblings.indexOf(element)).findLast((child) => isElement(child) && isShown(child));
  if (
    before &&
    isElement(before) &&
    before.words < OTHER_PRODUCTS_LABEL_WORDS &&
    isHeadingTag(before.tag) &&
    before.tag !== 'h1'
  )
    before.flags |= Flag.boilerplate;
}
