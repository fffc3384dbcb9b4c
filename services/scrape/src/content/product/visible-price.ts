import { Hint } from '../tree/name-hints.ts';
import type { Element } from '../tree/page-tree.ts';
import { amountsIn, type FoundAmount } from './amounts.ts';
import type { Locale } from './currencies.ts';
import { type PageLine, Place } from './page-lines.ts';
import { FORMER_PRICE, OTHER_AFTER, OTHER_AMOUNT, PER_PERIOD, PER_UNIT } from './phrases.ts';

/** A price that the page shows. */
export interface VisiblePrice {
  readonly price: number;
  readonly priceHigh: number | undefined;
  readonly regularPrice: number | undefined;
  readonly currency: string | undefined;
  readonly score: number;
}

/** Where a page shows its product. */
export interface ProductPlace {
  /** Index of the line with the title. */
  readonly title: number;
  /** Indices of lines that are controls to buy. */
  readonly controls: readonly number[];
}

interface Candidate {
  readonly found: FoundAmount;
  readonly kind: 'current' | 'former' | 'other' | 'unit';
  readonly high: number | undefined;
  readonly line: number;
  readonly score: number;
}

/** Lines around the title whose prices count. */
const LINES_BEFORE = 100;
const LINES_AFTER = 400;
const CANDIDATES_CAP = 400;

/** Returns the price that a page shows for its product, with the former one beside it; undefined if it shows none. */
export function visiblePrice(
  lines: readonly PageLine[],
  place: ProductPlace,
  locale: Locale,
): VisiblePrice | undefined {
  const candidates = candidatesOf(lines, place, locale);
  const current = candidates.filter(({ kind }) => kind === 'current');
  if (current.length === 0) return undefined;
  const rated = withRepetitions(current);
  const best = rated.reduce((first, next) => (next.score > first.score ? next : first));
  const { amount, currency } = best.found;
  return {
    price: amount,
    priceHigh: best.high !== undefined && best.high > amount ? best.high : undefined,
    regularPrice: formerOf(best, candidates),
    currency: currency ?? current.find(({ found }) => found.currency !== undefined)?.found.currency,
    score: best.score,
  };
}

/** Points of a candidate with which another counts as a statement of the same price. */
const MIN_SCORE = 3;

/** A page states the price of its product more often than others. */
function withRepetitions(candidates: readonly Candidate[]): Candidate[] {
  const lines = new Map<number, Set<number>>();
  for (const { found, line, score } of candidates)
    if (score >= MIN_SCORE) lines.set(found.amount, (lines.get(found.amount) ?? new Set()).add(line));
  return candidates.map((candidate) =>
    (lines.get(candidate.found.amount)?.size ?? 0) > 1 ? { ...candidate, score: candidate.score + 1 } : candidate,
  );
}

/** Lines between a price and its former one. */
const FORMER_LINES = 4;

function formerOf({ found, line }: Candidate, candidates: readonly Candidate[]): number | undefined {
  const former = candidates.filter(
    ({ kind, line: own, found: { amount } }) =>
      kind === 'former' && Math.abs(own - line) <= FORMER_LINES && amount > found.amount && amount < found.amount * 20,
  );
  return former.length === 0
    ? undefined
    : former.reduce((a, b) => (Math.abs(b.line - line) < Math.abs(a.line - line) ? b : a)).found.amount;
}

export function candidatesOf(lines: readonly PageLine[], place: ProductPlace, locale: Locale): Candidate[] {
  const candidates: Candidate[] = [];
  const from = Math.max(0, place.title - LINES_BEFORE);
  const to = Math.min(lines.length, place.title + LINES_AFTER);
  for (let index = from; index < to && candidates.length < CANDIDATES_CAP; index++) {
    const line = lines[index];
    if (line === undefined || !/\p{Nd}/u.test(line.text)) continue;
    candidates.push(...lineCandidates(line, index, lines, place, locale));
  }
  return candidates;
}

function lineCandidates(
  line: PageLine,
  index: number,
  lines: readonly PageLine[],
  place: ProductPlace,
  locale: Locale,
): Candidate[] {
  const amounts = amountsIn(priceText(line), locale).filter(
    ({ amount, hasCurrency }) => amount > 0 && (hasCurrency || isBarePrice(line)),
  );
  const score = scoreOf(line, index, place);
  const candidates: Candidate[] = [];
  for (const [at, found] of amounts.entries()) {
    const before = labelBefore(line, found, amounts[at - 1], at === 0 ? lines[index - 1] : undefined);
    const kind = kindOf(line, found, before);
    const next = amounts[at + 1];
    const high = next !== undefined && isRange(line.text.slice(found.end, next.at)) ? next.amount : undefined;
    const isHigh = candidates.at(-1)?.high === found.amount && isRange(line.text.slice(amounts[at - 1]?.end, found.at));
    if (!isHigh)
      candidates.push({ found, kind, high, line: index, score: score - at * 0.1 - (found.hasCurrency ? 0 : 1) });
  }
  return candidates;
}

/** Writes the point that stands between a price and smaller decimals: `$229 99`. */
const priceText = ({ text, place }: PageLine): string =>
  (place & Place.price) === 0 ? text : text.replace(/^(\D{0,4}\d[\d,.]{0,8}) (\d{2})(?=\D{0,6}$)/, '$1.$2');

/** What counts for one amount of a line. */
function ownScore({ text, prices }: PageLine, found: FoundAmount): number {
  const isNamed = isWithin(prices, found.at);
  const isLong = text.length > LONG_CHARS && !isNamed;
  return (isNamed ? 1.5 : 0) - (isLong ? 2 : 0) - (found.hasCurrency ? 0 : 1);
}

const LONG_CHARS = 80;

const isRange = (between: string): boolean => /^\s*(?:-|–|—|~|to|bis|à|a|do|до|至)\s*$/iu.test(between);

/** Amounts without a currency count in boxes that name a price and contain little else. */
const isBarePrice = ({ text, place }: PageLine): boolean => (place & Place.price) !== 0 && text.length <= 24;

/** Returns the words before an amount: of its line, or of the short line above. */
function labelBefore(
  { text }: PageLine,
  found: FoundAmount,
  earlier: FoundAmount | undefined,
  above: PageLine | undefined,
): string {
  const own = text.slice(earlier?.end ?? 0, found.at).trim();
  if (own !== '' || above === undefined || above.text.length > 40 || /\d/.test(above.text)) return own;
  return above.text;
}

function kindOf(line: PageLine, found: FoundAmount, before: string): Candidate['kind'] {
  const after = line.text.slice(found.end, found.end + 40);
  if (isWithin(line.former, found.at)) return 'former';
  if (PER_PERIOD.test(after)) return 'other';
  if (FORMER_PRICE.test(before)) return 'former';
  if (OTHER_AMOUNT.test(before)) return 'other';
  if (PER_UNIT.test(after)) return 'unit';
  return isOtherAfter(after) ? 'other' : 'current';
}

/** Words directly after an amount that state what it is: `5 € sparen`, `£3.50 delivery`. */
const isOtherAfter = (after: string): boolean => {
  const found = OTHER_AFTER.exec(after);
  return found !== null && after.slice(0, found.index).trim() === '';
};

const isWithin = (ranges: readonly number[], at: number): boolean => {
  for (let index = 0; index < ranges.length; index += 2)
    if (at >= (ranges[index] ?? 0) && at < (ranges[index + 1] ?? 0)) return true;
  return false;
};

const CURRENT_NAMES =
  /sale|current|final|now|our|special|sell|actual|offer|main|product-?price|price-?(?:current|now|new|value|to-?pay)|priceblock|buybox|item-?price/i;

/** Rates how likely a line shows the price of the product. */
function scoreOf(line: PageLine, index: number, { title, controls }: ProductPlace): number {
  const distance = Math.min(titleDistance(index, title), ...controls.map((control) => controlDistance(index, control)));
  let score = 10 - 1.2 * Math.log2(1 + distance);
  if ((line.place & Place.price) !== 0) score += 3;
  if ((line.place & Place.link) !== 0) score -= 4;
  if ((line.place & Place.elsewhere) !== 0) score -= 6;
  if ((line.place & Place.otherAmount) !== 0) score -= 4;
  if ((line.place & Place.heading) !== 0) score += 0.5;
  if (line.element.attributes['itemprop'] === 'price') score += 3;
  if (isNamed(line.element)) score += 1;
  if (line.text.length <= 20) score += 1;
  return score + controlBonus(index, title, controls);
}

const titleDistance = (index: number, title: number): number =>
  index >= title ? index - title : (title - index) * 1.5 + 4;

/** A price stands above the control to buy. */
const controlDistance = (index: number, control: number): number =>
  index <= control ? control - index + 3 : (index - control) * 2 + 4;

/** Names of the element and two boxes around it. */
function isNamed(element: Element): boolean {
  let up: Element | undefined = element;
  for (let level = 0; up && level < 3; level++, up = up.parent) {
    const name = `${up.attributes['class'] ?? ''} ${up.attributes['id'] ?? ''}`.slice(0, 300);
    if ((up.hints & Hint.price) !== 0 && CURRENT_NAMES.test(name)) return true;
  }
  return false;
}

const NEAR_LINES = 12;

function controlBonus(index: number, title: number, controls: readonly number[]): number {
  const first = controls.find((control) => control > title);
  if (first !== undefined && index > title && index < first) return 2;
  return controls.some((control) => Math.abs(control - index) <= NEAR_LINES) ? 1 : 0;
}
