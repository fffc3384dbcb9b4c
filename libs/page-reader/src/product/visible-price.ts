import { Hint } from '../tree/name-hints.ts';
import type { Element } from '../tree/page-tree.ts';
import { amountsIn, type FoundAmount } from './amounts.ts';
import type { Locale } from './currencies.ts';
import type { PageLine } from './page-lines.ts';
import { Place } from './page-names.ts';
import { CURRENT_PRICE, FORMER_PRICE, OTHER_AFTER, OTHER_AMOUNT, PER_PERIOD, PER_UNIT } from './phrases.ts';
import {
  ABOVE_FACTOR,
  AFTER_CHARS,
  BARE_PRICE_CHARS,
  CANDIDATES_CAP,
  DISTANCE_POINTS,
  EXPECTED_POINTS,
  FORMER_LINES,
  FORMER_RATIO,
  LATER_POINTS,
  LONG_CHARS,
  NAMED_LEVELS,
  NEAR_LINES,
  PRICE_LABEL_CHARS,
  REPEATED_POINTS,
  SHORT_CHARS,
  STATED_SCORE,
  VISIBLE_PRICE_LINES_AFTER,
  VISIBLE_PRICE_LINES_BEFORE,
} from './thresholds.ts';

/** A price that the page shows. */
export interface VisiblePrice {
  readonly price: number;
  readonly priceHigh: number | undefined;
  readonly regularPrice: number | undefined;
  readonly currency: string | undefined;
  /** How likely it is the price of the product. From 9 on it is near the title and in a box or line for a price. */
  readonly score: number;
}

/** Where a page shows its product. */
export interface ProductPlace {
  /** Index of the line with the title. */
  readonly title: number;
  /** Indices of lines that are controls to buy. */
  readonly controls: readonly number[];
}

/** What a page is searched for. */
export interface PriceSearch {
  readonly lines: readonly PageLine[];
  readonly place: ProductPlace;
  readonly locale: Locale;
  /** Prices that the data of the page state. */
  readonly expected: ReadonlySet<number>;
}

/** What an amount is: a price to be paid, one before a reduction, one per unit, or none of the product. */
type Kind = 'current' | 'former' | 'unit' | 'other';

interface Candidate {
  readonly found: FoundAmount;
  readonly kind: Kind;
  readonly high: number | undefined;
  readonly line: number;
  readonly score: number;
}

/** Returns the price that a page shows for its product, with the former one beside it; undefined if it shows none. */
export function visiblePrice(search: PriceSearch): VisiblePrice | undefined {
  const candidates = candidatesOf(search);
  const current = candidates.filter(({ kind }) => kind === 'current');
  if (current.length === 0) return undefined;
  const rated = withEvidence(current, search.expected);
  const best = rated.reduce((first, next) => (next.score > first.score ? next : first));
  const { amount, currency, hasCurrency } = best.found;
  return {
    price: amount,
    priceHigh: best.high !== undefined && best.high > amount ? best.high : undefined,
    regularPrice: formerOf(best, candidates),
    currency: hasCurrency ? currency : commonCurrency(rated),
    score: best.score,
  };
}

/** A page states the price of its product more often than others, and its data state it too. */
function withEvidence(candidates: readonly Candidate[], expected: ReadonlySet<number>): Candidate[] {
  const linesOf = new Map<number, Set<number>>();
  for (const { found, line, score } of candidates) {
    if (score < STATED_SCORE) continue;
    const lines = linesOf.get(found.amount) ?? new Set();
    linesOf.set(found.amount, lines.add(line));
  }
  return candidates.map((candidate) => {
    const { amount } = candidate.found;
    const repeated = (linesOf.get(amount)?.size ?? 0) > 1 ? REPEATED_POINTS : 0;
    return { ...candidate, score: candidate.score + repeated + (expected.has(amount) ? EXPECTED_POINTS : 0) };
  });
}

/** The currency of the prices near the title, for a price in a box without one. */
const commonCurrency = (candidates: readonly Candidate[]): string | undefined =>
  candidates.find(({ score, found }) => score >= STATED_SCORE && found.currency !== undefined)?.found.currency;

function formerOf({ found, line }: Candidate, candidates: readonly Candidate[]): number | undefined {
  let nearest: Candidate | undefined;
  for (const candidate of candidates) {
    const { amount } = candidate.found;
    const distance = Math.abs(candidate.line - line);
    const isFormer = candidate.kind === 'former' && amount > found.amount && amount < found.amount * FORMER_RATIO;
    if (isFormer && distance <= FORMER_LINES && (nearest === undefined || distance < Math.abs(nearest.line - line)))
      nearest = candidate;
  }
  return nearest?.found.amount;
}

const DIGIT = /[0-9٠-٩۰-۹०-९০-৯๐-๙０-９]/;

function candidatesOf({ lines, place, locale }: PriceSearch): Candidate[] {
  const candidates: Candidate[] = [];
  const from = Math.max(0, place.title - VISIBLE_PRICE_LINES_BEFORE);
  const to = Math.min(lines.length, place.title + VISIBLE_PRICE_LINES_AFTER);
  for (let index = from; index < to && candidates.length < CANDIDATES_CAP; index++) {
    const line = lines[index];
    if (line === undefined || !DIGIT.test(line.text)) continue;
    const score = scoreOf(line, index, place);
    candidates.push(...lineCandidates(line, lines[index - 1], locale).map((found) => placed(found, index, score)));
  }
  return candidates;
}

const placed = (candidate: Omit<Candidate, 'line'>, line: number, score: number): Candidate => ({
  ...candidate,
  line,
  score: candidate.score + score,
});

/** Returns the amounts of a line with what they are and the points that they have themselves. */
function lineCandidates(line: PageLine, above: PageLine | undefined, locale: Locale): Omit<Candidate, 'line'>[] {
  const amounts = amountsIn(priceText(line), locale).filter(
    ({ amount, hasCurrency }) => amount > 0 && (hasCurrency || isBarePrice(line)),
  );
  const candidates: Omit<Candidate, 'line'>[] = [];
  let isHigh = false;
  for (const [at, found] of amounts.entries()) {
    const before = labelBefore(line, found, amounts[at - 1], at === 0 ? above : undefined);
    const next = amounts[at + 1];
    const startsRange = next !== undefined && isRange(line.text.slice(found.end, next.at));
    const score = ownPoints(line, found, before) - at * LATER_POINTS;
    if (!isHigh)
      candidates.push({ found, kind: kindOf(line, found, before), high: startsRange ? next.amount : undefined, score });
    isHigh = startsRange && !isHigh;
  }
  return candidates;
}

/** Writes the point that stands between a price and smaller decimals: `$229 99`. */
const priceText = ({ text, place }: PageLine): string =>
  (place & Place.price) === 0 ? text : text.replace(/^(\D{0,4}\d[\d,.]{0,8}) (\d{2})(?=\D{0,6}$)/, '$1.$2');

/** Points of one amount of a line. */
function ownPoints({ text, prices }: PageLine, { at, hasCurrency }: FoundAmount, before: string): number {
  const isNamed = isWithin(prices, at);
  let points = hasCurrency ? 0 : -1;
  if (isNamed) points += 1.5;
  else if (text.length > LONG_CHARS) points -= 2;
  if (CURRENT_PRICE.test(before)) points += 1.5;
  return points;
}

const isRange = (between: string): boolean => /^\s*(?:-|–|—|~|to|bis|à|a|do|до|至)\s*[^\s\d]{0,4}\s?$/iu.test(between);

/** Amounts without a currency count in boxes that name a price and contain little else. */
const isBarePrice = ({ text, place }: PageLine): boolean =>
  (place & Place.price) !== 0 && text.length <= BARE_PRICE_CHARS;

/** Returns the words before an amount: of its line, or of the short line above. */
function labelBefore(
  { text }: PageLine,
  { at }: FoundAmount,
  earlier: FoundAmount | undefined,
  above: PageLine | undefined,
): string {
  const own = text
    .slice(earlier?.end ?? 0, at)
    .trim()
    .toLowerCase();
  if (own !== '' || above === undefined || above.text.length > PRICE_LABEL_CHARS || /\d/.test(above.text)) return own;
  return above.text.toLowerCase();
}

function kindOf({ text, former }: PageLine, { at, end }: FoundAmount, before: string): Kind {
  const after = text.slice(end, end + AFTER_CHARS).toLowerCase();
  if (isWithin(former, at)) return 'former';
  if (PER_PERIOD.test(after)) return 'other';
  if (FORMER_PRICE.test(before)) return 'former';
  if (OTHER_AMOUNT.test(before) || isOtherAfter(after)) return 'other';
  return PER_UNIT.test(after) ? 'unit' : 'current';
}

/** Words directly after an amount that state what it is: `5 € sparen`, `£3.50 delivery`. */
function isOtherAfter(after: string): boolean {
  const found = OTHER_AFTER.exec(after);
  return found !== null && after.slice(0, found.index).trim() === '';
}

/** True for a position in one of the ranges: from, to, from, to … */
function isWithin(ranges: readonly number[], at: number): boolean {
  for (let index = 0; index < ranges.length; index += 2)
    if (at >= (ranges[index] ?? 0) && at < (ranges[index + 1] ?? 0)) return true;
  return false;
}

/** Points of a line by the bits of its place. */
const PLACE_POINTS: readonly (readonly [place: number, points: number])[] = [
  [Place.price, 3],
  [Place.heading, 0.5],
  [Place.link, -4],
  [Place.otherAmount, -4],
  [Place.elsewhere, -6],
];

/** Rates how likely a line shows the price of the product: by its distance from the title, its boxes and its length. */
function scoreOf({ text, place, element }: PageLine, index: number, { title, controls }: ProductPlace): number {
  const distances = controls.map((control) => controlDistance(index, control));
  const distance = Math.min(titleDistance(index, title), ...distances);
  let score = 10 - DISTANCE_POINTS * Math.log2(1 + distance);
  for (const [bits, points] of PLACE_POINTS) if ((place & bits) !== 0) score += points;
  if (element.attributes['itemprop'] === 'price') score += 3;
  if (isNamedCurrent(element)) score += 1;
  if (text.length <= SHORT_CHARS) score += 1;
  return score + controlPoints(index, title, controls);
}

const titleDistance = (index: number, title: number): number =>
  index >= title ? index - title : (title - index) * ABOVE_FACTOR + 4;

/** A price stands above the control to buy. */
const controlDistance = (index: number, control: number): number =>
  index <= control ? control - index + 3 : (index - control) * 2 + 4;

const CURRENT_NAMES =
  /sale|current|final|now|our|special|sell|actual|offer|main|product-?price|price-?(?:current|now|new|value|to-?pay)|priceblock|buybox|item-?price/i;

/** True if the element or a box closely around it has the name of a price to be paid. */
function isNamedCurrent(element: Element): boolean {
  let up: Element | undefined = element;
  for (let level = 0; up && level < NAMED_LEVELS; level++, up = up.parent) {
    const name = `${up.attributes['class'] ?? ''} ${up.attributes['id'] ?? ''}`.slice(0, 300);
    if ((up.hints & Hint.price) !== 0 && CURRENT_NAMES.test(name)) return true;
  }
  return false;
}

function controlPoints(index: number, title: number, controls: readonly number[]): number {
  const first = controls.find((control) => control > title);
  if (first !== undefined && index > title && index < first) return 2;
  return controls.some((control) => Math.abs(control - index) <= NEAR_LINES) ? 1 : 0;
}
