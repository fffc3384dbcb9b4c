import { Hint } from '../tree/name-hints.ts';
import { collapseSpaces, type Element, Flag, isBlock, NO_ATTRIBUTES } from '../tree/page-tree.ts';
import { Place, placeOfName } from './page-names.ts';
import { CONTROL_WORDS, LINES_CAP, PAGE_LINES_LINE_CHARS, PRICE_WORDS, RANGES_CAP, WHOLE_SHARE } from './thresholds.ts';

/** A part of the visible page that readers see on one line. */
export interface PageLine {
  readonly text: string;
  /** Characters that are crossed out or in a box of a former price: from, to, from, to … */
  readonly former: readonly number[];
  /** Characters in inner boxes whose name indicates a price, likewise. */
  readonly prices: readonly number[];
  readonly element: Element;
  readonly place: number;
}

/** Returns the visible lines of a page in document order. Each text is read once. */
export function pageLines(body: Element): PageLine[] {
  const lines: PageLine[] = [];
  gather(body, 0, { lines, wholeWords: body.words * WHOLE_SHARE });
  return lines;
}

interface Gathered {
  readonly lines: PageLine[];
  /** A box with more words has no place of its own. */
  readonly wholeWords: number;
}

const HEADINGS = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']);
const ELSEWHERE_TAGS = new Set(['nav', 'footer', 'aside', 'dialog']);
const ELSEWHERE_HINTS = Hint.footer | Hint.consent | Hint.comment | Hint.review | Hint.advert;

function gather(element: Element, inherited: number, into: Gathered): void {
  const { lines, wholeWords } = into;
  if ((element.flags & Flag.notRendered) !== 0 || lines.length >= LINES_CAP) return;
  const place = element.words > wholeWords ? inherited : inherited | placeOf(element);
  if (element.tag === 'input') return void addControl(element, place, lines);
  const hasBlock = (element.flags & Flag.hasBlock) !== 0;
  const isPriceBox = (place & Place.price) !== 0 && element.words <= PRICE_WORDS;
  if (!hasBlock || isPriceBox || element.tag === 'button') return void addLine([element], element, place, lines);
  let run: (Element | string)[] = [];
  for (const child of element.children) {
    if (typeof child === 'string' || isInline(child)) {
      run.push(child);
      continue;
    }
    addLine(run, element, place, lines);
    run = [];
    gather(child, place, into);
  }
  addLine(run, element, place, lines);
}

/** Whether the element is part of the line that contains it. */
const isInline = (element: Element): boolean =>
  !isBlock(element.tag) && (element.flags & Flag.hasBlock) === 0 && !isOwnLine(element);

/** Controls and links are lines of their own beside blocks. */
const isOwnLine = ({ tag }: Element): boolean => tag === 'a' || tag === 'button' || tag === 'input' || tag === 'br';

function placeOf(element: Element): number {
  const { tag, attributes, hints } = element;
  let place = HEADINGS.has(tag) ? Place.heading : 0;
  if (attributes === NO_ATTRIBUTES && !ELSEWHERE_TAGS.has(tag) && tag !== 'button') return place;
  if (ELSEWHERE_TAGS.has(tag) || (hints & ELSEWHERE_HINTS) !== 0) place |= Place.elsewhere;
  if (tag === 'a' && isPageLink(attributes['href'])) place |= Place.link;
  if (isControl(element)) place |= Place.control;
  if (attributes['disabled'] !== undefined || attributes['aria-disabled'] === 'true') place |= Place.disabled;
  if (attributes['itemprop'] === 'price' || (hints & Hint.price) !== 0) place |= Place.price;
  // Shops also build their buttons of plain boxes.
  if ((hints & Hint.cart) !== 0 && element.words <= CONTROL_WORDS) place |= Place.control;
  if (tag === 'main') return place;
  return place | (namePlace(element) & INHERITED);
}

const isControl = ({ tag, attributes }: Element): boolean =>
  tag === 'button' || tag === 'input' || attributes['role'] === 'button';

/** Bits that apply to everything in an element. */
const INHERITED = ~(Place.former | Place.decimals | Place.digits);

const namePlace = ({ attributes }: Element): number =>
  attributes === NO_ATTRIBUTES ? 0 : placeOfName(attributes['class']) | placeOfName(attributes['id']);

const isPageLink = (href: string | undefined): boolean =>
  href !== undefined && href !== '' && !href.startsWith('#') && !/^javascript:/i.test(href);

const BUTTON_TYPES = new Set(['submit', 'button', 'image']);

function addControl(element: Element, place: number, lines: PageLine[]): void {
  const { type, value, alt, title } = element.attributes;
  const text = collapseSpaces(value ?? alt ?? title ?? '').slice(0, PAGE_LINES_LINE_CHARS);
  if (BUTTON_TYPES.has(type?.toLowerCase() ?? '') && text !== '')
    lines.push({ text, former: NONE, prices: NONE, element, place });
}

function addLine(run: readonly (Element | string)[], element: Element, place: number, lines: PageLine[]): void {
  if (run.length === 0 || (run.length === 1 && typeof run[0] === 'string' && run[0].trim() === '')) return;
  const writer = new LineWriter();
  for (const node of run) writer.add(node);
  const text = writer.text.trimEnd();
  const only = run.length === 1 && typeof run[0] !== 'string' ? run[0] : undefined;
  const inner = only === undefined || only === element ? place : place | placeOf(only) | placeOfOnlyChild(only);
  const label =
    text === '' && (inner & Place.control) !== 0
      ? (element.attributes['aria-label'] ?? element.attributes['title'] ?? '')
      : text;
  if (label.trim() !== '' && text.length < PAGE_LINES_LINE_CHARS)
    lines.push({
      text: label.slice(0, PAGE_LINES_LINE_CHARS),
      former: writer.former,
      prices: writer.prices,
      element: only ?? element,
      place: inner,
    });
}

/** The place of the elements that alone make up an element: `<div><span class="price">…`. */
function placeOfOnlyChild(element: Element): number {
  let place = 0;
  for (let inner = soleElement(element); inner; inner = soleElement(inner)) place |= placeOf(inner);
  return place;
}

function soleElement(element: Element): Element | undefined {
  let found: Element | undefined;
  for (const child of element.children) {
    if (typeof child === 'string') {
      if (child.trim() !== '') return undefined;
    } else if ((child.flags & Flag.notRendered) === 0) {
      if (found !== undefined) return undefined;
      found = child;
    }
  }
  return found;
}

/** Shared by the lines without such characters, which are most. */
const NONE: readonly number[] = [];

/** Writes the text of inline nodes with single spaces, and notes which parts are crossed out. */
class LineWriter {
  text = '';
  former: readonly number[] = NONE;
  prices: readonly number[] = NONE;

  add(node: Element | string): void {
    if (typeof node === 'string') this.#write(node);
    else if ((node.flags & Flag.notRendered) === 0) this.#element(node);
  }

  #element(element: Element): void {
    if (this.text.length >= PAGE_LINES_LINE_CHARS) return;
    if (element.tag === 'br' || isBlock(element.tag)) this.#space();
    if (/\d$/.test(this.text) && element.children.length > 0)
      this.text += this.#isDecimals(element) ? '.' : this.#gapBefore(element);
    const from = this.text.length;
    for (const child of element.children) this.add(child);
    if (this.text.length > from) this.#addRanges(element, from);
    if (isBlock(element.tag)) this.#space();
  }

  /** Adds the text from `from` on as crossed out or as a price, by the element that contains it. */
  #addRanges(element: Element, from: number): void {
    if (this.former.length < RANGES_CAP && isFormer(element) && !this.#containsFormer(from))
      this.former = [...this.former, from, this.text.length];
    if (this.prices.length < RANGES_CAP && (element.hints & Hint.price) !== 0)
      this.prices = [...this.prices, from, this.text.length];
  }

  #write(given: string): void {
    const text = collapseSpaces(given.slice(0, PAGE_LINES_LINE_CHARS));
    if (/^\s/.test(given)) this.#space();
    this.text += text;
    if (text !== '' && /\s$/.test(given)) this.#space();
  }

  #space(): void {
    if (this.text !== '' && !this.text.endsWith(' ')) this.text += ' ';
  }

  /** A box around a former price and the present one can have the name of either. */
  #containsFormer(from: number): boolean {
    const at = this.former.length - 2;
    return (
      at >= 0 &&
      (this.former[at] ?? 0) >= from &&
      (this.former[at + 1] ?? 0) - (this.former[at] ?? 0) < this.text.trimEnd().length - from
    );
  }

  /** Digits of two elements beside each other are two numbers. */
  #gapBefore(element: Element): string {
    return /^\d/.test(ownText(element)) && (namePlace(element) & Place.digits) === 0 ? ' ' : '';
  }

  /** Decimals in an element of their own directly after digits: `12<sup>99</sup>`. */
  #isDecimals(element: Element): boolean {
    const { tag } = element;
    const isSmall = tag === 'sup' || tag === 'small' || (namePlace(element) & Place.decimals) !== 0;
    return isSmall && /^\d{2}$/.test(ownText(element)) && !/[.,]\d{1,2}$/.test(this.text);
  }
}

const ownText = (element: Element): string =>
  element.children.length === 1 && typeof element.children[0] === 'string' ? element.children[0].trim() : '';

const FORMER_TAGS = new Set(['del', 's', 'strike']);

const isFormer = (element: Element): boolean =>
  FORMER_TAGS.has(element.tag) ||
  (element.attributes !== NO_ATTRIBUTES &&
    ((placeOfName(element.attributes['class']) & Place.former) !== 0 ||
      /text-decoration[^;]*line-through/i.test(element.attributes['style'] ?? '')));
