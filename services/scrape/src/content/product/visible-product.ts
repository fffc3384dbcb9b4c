import { collapseSpaces, type Page, visibleLine } from '../tree/page-tree.ts';
import type { Locale } from './currencies.ts';
import { labelledIdentifiers } from './labelled-identifiers.ts';
import { type PageLine, Place, pageLines } from './page-lines.ts';
import { BUY, statedAvailability } from './phrases.ts';
import type { Availability, ProductData } from './product.ts';
import { type ProductPlace, visiblePrice } from './visible-price.ts';

/** What the visible page states of its product. */
export interface VisibleProduct extends ProductData {
  /** How certain the price is; prices above 10 are near the title and named as such. */
  readonly priceScore: number;
  /** True if the page has a control to buy near its title. */
  readonly isForSale: boolean;
}

/** Reads the visible page. `names` are titles of the product in the order of their reliability. */
export function visibleProduct(page: Page, names: readonly string[], locale: Locale): VisibleProduct {
  const lines = pageLines(page.body);
  const title = titleLine(page, lines, names);
  const controls = buyControls(lines);
  const place = { title, controls };
  const shown = visiblePrice(lines, place, locale);
  return {
    price: shown?.price,
    priceHigh: shown?.priceHigh,
    regularPrice: shown?.regularPrice,
    currency: shown?.currency,
    availability: availabilityNear(lines, place),
    ...labelledIdentifiers(lines, title),
    priceScore: shown?.score ?? 0,
    isForSale: isForSale(place),
  };
}

const normalized = (text: string): string => collapseSpaces(text.toLowerCase());

/** Returns the index of the line that shows the title: the first heading of the first level, or a line with a name of the product. */
function titleLine(page: Page, lines: readonly PageLine[], names: readonly string[]): number {
  const wanted = new Set(names.map(normalized).filter((name) => name.length > 2));
  const named = lines.findIndex(
    ({ text, element, place }) =>
      element.tag === 'h1' && (place & Place.elsewhere) === 0 && wanted.has(normalized(text)),
  );
  if (named >= 0) return named;
  const heading = page.indexed.headings
    .map((element) => normalized(visibleLine(element, 300)))
    .find((text) => text.length > 2 && [...wanted].some((name) => name.includes(text) || text.includes(name)));
  const first = lines.findIndex(({ text }) => normalized(text) === heading);
  if (first >= 0) return first;
  const repeated = lines.findIndex(
    ({ text, place }) => (place & (Place.elsewhere | Place.link)) === 0 && wanted.has(normalized(text)),
  );
  if (repeated >= 0) return repeated;
  return Math.max(
    0,
    lines.findIndex(({ element, place }) => element.tag === 'h1' && (place & Place.elsewhere) === 0),
  );
}

const CONTROL_CHARS = 60;

function buyControls(lines: readonly PageLine[]): number[] {
  return lines.flatMap(({ text, place, element }, index) => {
    const isControl = (place & Place.control) !== 0 || element.tag === 'a';
    return isControl && (place & Place.elsewhere) === 0 && text.length <= CONTROL_CHARS && BUY.test(text)
      ? [index]
      : [];
  });
}

/** Lines after the title in which the control to buy and the availability stand. */
const NEAR_LINES = 120;
/** More controls to buy are those of a list. */
const CONTROLS_CAP = 4;

function isForSale({ title, controls }: ProductPlace): boolean {
  return (
    controls.length <= CONTROLS_CAP && controls.some((control) => control > title - 10 && control < title + NEAR_LINES)
  );
}

const STATEMENT_CHARS = 80;

function availabilityNear(lines: readonly PageLine[], { title, controls }: ProductPlace): Availability | undefined {
  const near = lines
    .slice(title, title + NEAR_LINES)
    .filter(({ place }) => (place & (Place.elsewhere | Place.heading)) === 0);
  const control = controls
    .map((index) => lines[index])
    .find((line) => line !== undefined && lines.indexOf(line) > title - 10);
  for (const { text } of near) {
    if (text.length > STATEMENT_CHARS) continue;
    const stated = statedAvailability(text);
    if (stated !== undefined) return stated;
  }
  if (control === undefined) return undefined;
  return (control.place & Place.disabled) === 0 ? 'InStock' : 'OutOfStock';
}
