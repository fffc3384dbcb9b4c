import type { JsonObject } from '../head/json-ld.ts';
import { Hint } from '../tree/name-hints.ts';
import { type Element, isBlock, Mark, walk } from '../tree/page-tree.ts';
import { describedBody } from './structured-body.ts';

/** The element that holds the page's content, and how much text it was chosen from. */
export interface MainChoice {
  root: Element;
  /** Words of the body without site chrome. */
  contentWords: number;
}

/** A child that holds this share of the prose is entered. */
const NARROWING = 0.86;
/** An element the page itself names as content is taken at this share already. */
const NAMED_SHARE = 0.5;

/**
 * Chooses the smallest element that still holds most of the page's prose. A listing, whose prose is spread over many
 * siblings, is never narrowed below their container, so the choice cannot lose most of a page.
 */
export function chooseMain(body: Element, jsonLd: readonly JsonObject[]): MainChoice {
  const mass = new Map<Element, number>();
  const contentWords = massOf(body, mass);
  const total = mass.get(body) ?? 0;
  let root = named(body, mass, total) ?? body;
  for (;;) {
    const next = heaviest(root, mass);
    if (!next || (mass.get(next) ?? 0) < (mass.get(root) ?? 0) * NARROWING || isText(next) || isOneOfMany(next)) break;
    root = next;
  }
  const whole = wholeOf(root);
  const described = describedBody(body, whole, jsonLd);
  return described
    ? { root: described, contentWords: Math.max(contentWords, described.words) }
    : { root: whole, contentWords };
}

/** Prose weight below each element, chrome left out; the return value is the plain words. */
function massOf(element: Element, mass: Map<Element, number>): number {
  let prose = 0;
  let words = 0;
  let inlineWords = element.ownWords;
  let inlineStops = element.ownStops;
  let inlineLinks = 0;
  for (const child of element.children) {
    if (typeof child === 'string') continue;
    if ((child.marks & (Mark.unseen | Mark.dropped)) === 0) {
      if ((child.marks & Mark.blocky) === 0 && !isBlock(child.tag)) {
        inlineWords += child.words;
        inlineStops += child.stops;
        inlineLinks += child.linkWords;
      } else {
        words += massOf(child, mass);
        prose += mass.get(child) ?? 0;
      }
    }
  }
  prose += proseOf(inlineWords, inlineLinks, inlineStops);
  mass.set(element, prose);
  return words + inlineWords;
}

/** Linked text counts little, short runs less than sentences. */
function proseOf(words: number, linkWords: number, stops: number): number {
  if (words === 0) return 0;
  const plain = Math.max(0, words - linkWords);
  const sentence = words >= 10 || stops > 1 ? 1 : 0.35;
  return plain * sentence + linkWords * 0.1;
}

function heaviest(element: Element, mass: ReadonlyMap<Element, number>): Element | undefined {
  let best: Element | undefined;
  for (const child of element.children) {
    if (typeof child === 'string') continue;
    if ((mass.get(child) ?? 0) > (best ? (mass.get(best) ?? 0) : 0)) best = child;
  }
  return best;
}

const TEXTS = new Set(['p', 'ul', 'ol', 'dl', 'table', 'tbody', 'tr', 'pre', 'blockquote', 'li', 'h1', 'h2', 'h3']);
const isText = (element: Element): boolean => TEXTS.has(element.tag);

const FLOW = new Set(['p', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'pre', 'blockquote']);

/** A box among paragraphs and headings, such as a long listing of code, is one part of a text. */
function isOneOfMany(element: Element): boolean {
  let flow = 0;
  for (const sibling of element.parent?.children ?? []) {
    if (typeof sibling === 'string' || sibling === element || !FLOW.has(sibling.tag)) continue;
    if ((sibling.marks & (Mark.unseen | Mark.dropped)) === 0 && sibling.words > sibling.linkWords * 2 + 1) flow++;
  }
  return flow > 1;
}

/** The element that says it is the article or the main part, where it holds enough of the prose. */
function named(body: Element, mass: ReadonlyMap<Element, number>, total: number): Element | undefined {
  const candidates: Element[] = [];
  walk(body, (element) => {
    if ((element.marks & (Mark.unseen | Mark.dropped)) !== 0) return false;
    if (isNamed(element)) candidates.push(element);
    return undefined;
  });
  const large = candidates.filter((element) => (mass.get(element) ?? 0) >= total * NAMED_SHARE);
  // A name that several large parts share, such as each post of a thread, names none of them.
  return large.findLast((element) => !candidates.some((other) => other !== element && isTwin(element, other, mass)));
}

/** Two parts of the same make and comparable weight. */
function isTwin(element: Element, other: Element, mass: ReadonlyMap<Element, number>): boolean {
  const isSame = element.tag === other.tag && element.attributes['class'] === other.attributes['class'];
  return isSame && (mass.get(other) ?? 0) > (mass.get(element) ?? 0) * 0.25;
}

function isNamed(element: Element): boolean {
  const { itemprop, role, class: className, id } = element.attributes;
  if (itemprop === 'articleBody' || element.tag === 'main' || element.tag === 'article' || role === 'main') return true;
  if ((element.hints & Hint.content) === 0) return false;
  return /(?:^|[\s_-])(?:article|entry|post|story|blog)[-_]?(?:body|content|text)(?=$|[\s_-])/i.test(
    `${className ?? ''} ${id ?? ''}`,
  );
}

/** A lone paragraph or list item is not a page: its container is. */
function wholeOf(root: Element): Element {
  let whole = root;
  while (isText(whole) && whole.parent && whole.tag !== 'body') whole = whole.parent;
  return whole;
}
