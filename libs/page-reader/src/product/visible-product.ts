import { collapseSpaces, type Element, type Page } from '../tree/page-tree.ts';
import type { Locale } from './currencies.ts';
import { labelledIdentifiers } from './labelled-identifiers.ts';
import { type PageLine, pageLines } from './page-lines.ts';
import { Place } from './page-names.ts';
import { BUY, statedAvailability } from './phrases.ts';
import type { Availability, ProductData } from './product.ts';
import {
  CONTROL_CHARS,
  CONTROL_LINES,
  HEADING_CHARS,
  LIST_BOXES,
  LIST_CONTROLS,
  STATEMENT_CHARS,
  STOCK_LEVELS,
  TITLE_CHARS,
  VISIBLE_PRODUCT_LABEL_CHARS,
  VISIBLE_PRODUCT_LINES_AFTER,
  VISIBLE_PRODUCT_LINES_BEFORE,
} from './thresholds.ts';
import { type ProductPlace, visiblePrice } from './visible-price.ts';

/** What the visible page states of its product. */
export interface VisibleProduct extends ProductData {
  /** A number of the maker. */
  readonly model: string | undefined;
  /** How certain the price is; prices above 10 are near the title and named as such. */
  readonly priceScore: number;
  /** True if the page has a control to buy near its title. */
  readonly isForSale: boolean;
  /** True if a box for the availability states, once and below the title, that the product can not be had. */
  readonly isUnavailable: boolean;
}

/** What is known of the product before the visible page is read. */
export interface ExpectedProduct {
  /** Names of the product and titles of the document. */
  readonly names: readonly string[];
  readonly prices: ReadonlySet<number>;
}

export function visibleProduct(page: Page, { names, prices }: ExpectedProduct, locale: Locale): VisibleProduct {
  const lines = pageLines(page.body);
  const title = titleLine(lines, names);
  const controls = buyControls(lines, title);
  const place = { title, controls };
  const shown = visiblePrice({ lines, place, locale, expected: prices });
  return {
    price: shown?.price,
    priceHigh: shown?.priceHigh,
    regularPrice: shown?.regularPrice,
    currency: shown?.currency,
    availability: availabilityNear(lines, place),
    ...labelledIdentifiers(lines, title),
    priceScore: shown?.score ?? 0,
    isForSale: isForSale(lines, place),
    isUnavailable: isUnavailable(lines, title),
  };
}

const normalized = (text: string): string => collapseSpaces(text.toLowerCase());

/**
 * Returns the index of the line that shows the title: a heading that a name of the product contains, another line that is
 * such a name, or the first heading.
 */
function titleLine(lines: readonly PageLine[], names: readonly string[]): number {
  const titles = [...new Set(names.map(normalized))].filter((name) => name.length > 2);
  const candidates = lines.flatMap(({ text, element, place }, index) =>
    (place & (Place.elsewhere | Place.link)) === 0 && text.length < TITLE_CHARS
      ? [{ index, tag: element.tag, text: normalized(text) }]
      : [],
  );
  const titled = (tag: string): number | undefined =>
    candidates.find((line) => line.tag === tag && titles.some((name) => isTitleOf(line.text, name)))?.index;
  const named = titled('h1') ?? titled('h2') ?? candidates.find(({ text }) => titles.includes(text))?.index;
  return named ?? candidates.find(({ tag }) => tag === 'h1')?.index ?? 0;
}

/** True for a heading that is most of a title, or that a title without the name of the site is part of. */
const isTitleOf = (heading: string, name: string): boolean =>
  heading.length > 2 &&
  (name.startsWith(heading) || heading.includes(name) || (heading.length > HEADING_CHARS && name.includes(heading)));

function buyControls(lines: readonly PageLine[], title: number): number[] {
  return lines.flatMap(({ text, place, element }, index) => {
    if ((place & Place.elsewhere) !== 0 || text.length > CONTROL_CHARS) return [];
    const isControl = (place & Place.control) !== 0 || element.tag === 'a';
    const isNear = index > title - VISIBLE_PRODUCT_LINES_BEFORE && index < title + VISIBLE_PRODUCT_LINES_AFTER;
    if (!isControl && (text.length > VISIBLE_PRODUCT_LABEL_CHARS || !isNear)) return [];
    const found = BUY.exec(text.toLowerCase());
    return found !== null && (isControl || found.index === 0) ? [index] : [];
  });
}

function isForSale(lines: readonly PageLine[], { title, controls }: ProductPlace): boolean {
  const nearest = nearestControl(controls, title);
  if (nearest === undefined) return false;
  const style = styleOf(lines[nearest]);
  const alike = controls.filter((control) => styleOf(lines[control]) === style).length;
  // Variants repeat the title, each with a control.
  const heading = lines[title]?.text;
  return alike < LIST_CONTROLS || lines.filter(({ text }) => text === heading).length >= alike;
}

function nearestControl(controls: readonly number[], title: number): number | undefined {
  const near = controls.filter(
    (control) => control > title - VISIBLE_PRODUCT_LINES_BEFORE && control < title + VISIBLE_PRODUCT_LINES_AFTER,
  );
  return near.reduce<number | undefined>(
    (best, control) => (best !== undefined && Math.abs(best - title) <= Math.abs(control - title) ? best : control),
    undefined,
  );
}

const styleOf = (line: PageLine | undefined): string =>
  line === undefined ? '' : `${line.element.tag} ${line.element.attributes['class'] ?? ''} ${line.text}`;

const STOCK_NAMES = /avail|stock|lager|verf(?:ue|ü)gbar|dispon|nalich|sklad|voorra|varasto/i;
/** Elements of options, each of which can be sold out. */
const OPTION_TAGS = new Set(['li', 'label', 'option', 'td']);

interface Statement {
  readonly stated: Availability;
  readonly isNamed: boolean;
  readonly isControl: boolean;
  readonly isOption: boolean;
}

/** Returns the availability that a box of that name states, else what the control to buy shows, else any other statement. */
function availabilityNear(lines: readonly PageLine[], { title, controls }: ProductPlace): Availability | undefined {
  const nearest = nearestControl(controls, title);
  const statements = [
    ...statementsIn(lines, title, title + VISIBLE_PRODUCT_LINES_AFTER),
    ...(nearest === undefined ? [] : statementsIn(lines, nearest - CONTROL_LINES, nearest + CONTROL_LINES)),
  ];
  const named = statements.find(({ isNamed, isOption }) => isNamed && !isOption);
  if (named !== undefined) return named.stated;
  const control = nearest === undefined ? undefined : lines[nearest];
  if (control !== undefined && (control.place & Place.disabled) === 0)
    return statedAvailability(control.text) === 'PreOrder' ? 'PreOrder' : 'InStock';
  const refused = statements.find(({ isControl, stated }) => isControl && stated !== 'InStock');
  const other = refused ?? statements.find(({ isOption, stated }) => !isOption && stated !== 'PreOrder');
  return other?.stated ?? (control === undefined ? undefined : 'OutOfStock');
}

function isUnavailable(lines: readonly PageLine[], title: number): boolean {
  const named = statementsIn(lines, title, lines.length).filter(({ isNamed, isOption }) => isNamed && !isOption);
  return named.length < LIST_BOXES && named[0]?.stated === 'OutOfStock';
}

function statementsIn(lines: readonly PageLine[], from: number, to: number): Statement[] {
  return lines.slice(Math.max(0, from), to).flatMap(({ text, place, element }) => {
    const [sentence = ''] = text.split(/[.!。！](?:\s|$)/);
    if (sentence.length > STATEMENT_CHARS || (place & (Place.elsewhere | Place.link)) !== 0) return [];
    const stated = statedAvailability(sentence);
    if (stated === undefined) return [];
    return [
      {
        stated,
        isNamed: isStockBox(element),
        isControl: (place & Place.control) !== 0,
        isOption: OPTION_TAGS.has(element.tag),
      },
    ];
  });
}

function isStockBox(element: Element): boolean {
  let up: Element | undefined = element;
  for (let level = 0; up && level < STOCK_LEVELS; level++, up = up.parent)
    if (
      STOCK_NAMES.test(
        `${up.attributes['class'] ?? ''} ${up.attributes['id'] ?? ''} ${up.attributes['itemprop'] ?? ''}`.slice(0, 300),
      )
    )
      return true;
  return false;
}
