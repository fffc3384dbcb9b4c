/**
 * A text run or an element. Text is a plain string: it makes up half of a page's nodes and then costs no allocation.
 */
export type TreeNode = Element | string;

/** Attributes that a later step reads. The parser drops all others by default. */
export type Attributes = Readonly<Record<string, string>>;

/**
 * Shared by all elements without attributes, about a third of a page. Compare by identity to skip lookups. Frozen: a write would add the
 * attribute to elements of every page that this thread reads.
 */
export const NO_ATTRIBUTES: Attributes = Object.freeze({});

/** Bits of `Element.flags`, set while measuring, filtering and cleaning. */
export const Flag = {
  /** Not rendered by a browser: script, style, hidden elements, templates. */
  notRendered: 1,
  /** Contains a block-level descendant. */
  hasBlock: 2,
  /** Omitted if only the main content is requested. */
  boilerplate: 4,
  /** Omitted from plain text, kept in markdown: captions, credits. */
  caption: 8,
  /** Omitted from every output: banners, and elements the caller excludes. */
  excluded: 16,
  /** Omitted from text and markdown of runs: repeats over the pages of the site. Comparisons ignore it. */
  siteBlock: 32,
  /** A button that is written as text: the label of a panel. */
  label: 64,
  /** The heading that repeats the page's title, if the caller omits it from markdown and text. */
  titleHeading: 128,
  /** Styling separates it from the inline element before it, although no white space does. */
  apart: 256,
} as const;

/** One element of the parsed page, with the counts of the visible text below it. */
export class Element {
  readonly tag: string;
  readonly attributes: Attributes;
  readonly parent: Element | undefined;
  readonly children: TreeNode[] = [];
  flags = 0;
  /** `Hint` bits derived from class, id and role. */
  hints = 0;
  /** Visible words below. A Han, kana or Thai character counts half. */
  words = 0;
  /** Words below that are inside links. */
  linkWords = 0;
  /** Punctuation characters of any script below. Prose has them, menus do not. */
  punctuation = 0;
  /** Words and punctuation of its direct text children. */
  ownWords = 0;
  ownPunctuation = 0;

  constructor(tag: string, attributes: Attributes, parent: Element | undefined) {
    this.tag = tag;
    this.attributes = attributes;
    this.parent = parent;
  }
}

/** The parsed page. `html`, `head` and `body` always exist, as in the standard. */
export interface Page {
  root: Element;
  head: Element;
  body: Element;
  elements: number;
  /** `Hint` bits of all measured elements. */
  hints: number;
  /** Elements that every page is searched for, in document order. */
  indexed: IndexedElements;
  /** Comments among the children of each element; undefined: they were skipped. */
  readonly comments: ReadonlyMap<Element, readonly string[]> | undefined;
}

export interface IndexedElements {
  readonly metas: readonly Element[];
  readonly links: readonly Element[];
  readonly titles: readonly Element[];
  readonly scripts: readonly Element[];
  readonly headings: readonly Element[];
  readonly times: readonly Element[];
  /** `a`, `area` and `label` elements of the body. */
  readonly anchors: readonly Element[];
  /** `sup` elements. */
  readonly superscripts: readonly Element[];
  /** Elements of the body with an `itemprop` attribute. */
  readonly microdata: readonly Element[];
  /** Elements of the body with a `typeof` attribute: RDFa. */
  readonly typed: readonly Element[];
}

export const isElement = (node: TreeNode): node is Element => typeof node !== 'string';

/** Returns the share of the words below an element that are link text, 0 to 1. */
export const linkDensity = (element: Element): number => (element.words === 0 ? 0 : element.linkWords / element.words);

/** Returns the first descendant that passes the test, in document order. */
export function findFirst(start: Element, passes: (element: Element) => boolean): Element | undefined {
  for (const child of start.children) {
    if (typeof child === 'string') continue;
    if (passes(child)) return child;
    const found = findFirst(child, passes);
    if (found) return found;
  }
  return undefined;
}

/** Returns true if an ancestor of the element has one of the tags. */
export function isInside(element: Element, tags: ReadonlySet<string>): boolean {
  for (let up = element.parent; up; up = up.parent) if (tags.has(up.tag)) return true;
  return false;
}

/** Returns true if `container` is the element or one of its ancestors. */
export function isWithin(element: Element, container: Element): boolean {
  for (let up: Element | undefined = element; up; up = up.parent) if (up === container) return true;
  return false;
}

/** Returns true if the element or one of its ancestors has any of the flags. */
export function inheritsFlag(element: Element, flags: number): boolean {
  for (let up: Element | undefined = element; up; up = up.parent) if ((up.flags & flags) !== 0) return true;
  return false;
}

/**
 * Calls `visit` for every descendant in document order. If `visit` returns false, the element's children are skipped.
 */
export function walk(start: Element, visit: (element: Element) => boolean | undefined): void {
  for (const child of start.children) {
    if (typeof child === 'string') continue;
    if (visit(child) !== false) walk(child, visit);
  }
}

/** Returns all text below, unchanged, at most `limit` characters. */
export function rawText(start: Element, limit = Number.POSITIVE_INFINITY): string {
  let text = '';
  for (const child of start.children) {
    if (text.length >= limit) break;
    text += typeof child === 'string' ? child : rawText(child, limit - text.length);
  }
  return text.length > limit ? text.slice(0, limit) : text;
}

/** Returns the visible text below on one line, white space collapsed, at most `limit` characters. */
export function visibleLine(start: Element, limit = 1_000): string {
  const only = start.children[0];
  if (start.children.length < 2 && (only === undefined || (typeof only === 'string' && only.length <= limit)))
    return only === undefined ? '' : collapseSpaces(only);
  // Few texts are mostly white space: half as much again is nearly always enough.
  const enough = limit + (limit >> 1) + 20;
  const text = visibleText(start, enough);
  const line = collapseSpaces(text.slice(0, enough));
  if (line.length > limit || text.length < enough) return line.slice(0, limit);
  return collapseSpaces(visibleText(start, limit * 4)).slice(0, limit);
}

function visibleText(start: Element, limit: number): string {
  let text = '';
  for (const child of start.children) {
    if (text.length >= limit) break;
    if (typeof child === 'string') text += child;
    else if (child.tag === 'br') text += ' ';
    else if ((child.flags & Flag.notRendered) === 0)
      text += isBlock(child.tag)
        ? ` ${visibleText(child, limit - text.length)} `
        : visibleText(child, limit - text.length);
  }
  return text;
}

/** Collapses white space to single spaces and trims. Single spaces, the common case, are not replaced one by one. */
export const collapseSpaces = (text: string): string =>
  (NEEDS_COLLAPSING.test(text) ? text.replace(/[^\S ]\s*| \s+/g, ' ') : text).trim();

const NEEDS_COLLAPSING = /[^\S ]| \s/;

const BLOCKS = new Set(
  (
    'address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form ' +
    'frameset h1 h2 h3 h4 h5 h6 header hgroup hr html iframe legend li main menu nav noscript ol optgroup option p pre ' +
    'search section select summary table tbody td textarea tfoot th thead tr ul video audio'
  ).split(' '),
);

/**
 * True for block-level elements of the standard's rendering section:
 * https://html.spec.whatwg.org/multipage/rendering.html#flow-content-3
 */
export const isBlock = (tag: string): boolean => BLOCKS.has(tag);

/** https://html.spec.whatwg.org/multipage/parsing.html#formatting */
const FORMATTING = new Set('a b big code em font i nobr s small strike strong tt u'.split(' '));

/**
 * True for an inline element around blocks that is a box of its own, such as a custom element. A formatting element is none: a text
 * before it and its own first text are one line. Parsers differ in which formatting elements they reopen around a block.
 */
export const isInlineBox = ({ tag, flags }: Element): boolean =>
  (flags & Flag.hasBlock) !== 0 && !isBlock(tag) && !FORMATTING.has(tag);
