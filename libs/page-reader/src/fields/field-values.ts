import { collapseSpaces } from '../tree/page-tree.ts';

const NUMBER = /[-−–]?\s*(?:\d[\d.,'’\u00a0\u202f ]*\d|\d|[.,]\d+)/;

/**
 * Returns the first number of a text in any national format: `1.234,56 €`, `$1,299.00`, `1 299,50`, `CHF 1'299.–`. A
 * single separator before three digits separates thousands, as in `1.299`; any other is the decimal separator.
 */
export function numberIn(text: string): number | null {
  const found = NUMBER.exec(text.slice(0, 1_000))?.[0];
  if (found === undefined) return null;
  const isNegative = /^[-−–]/.test(found) && !/\d\s*$/.test(text.slice(0, NUMBER.exec(text)?.index ?? 0));
  const digits = found.replace(/[^\d.,]/g, '');
  const value = Number.parseFloat(withDecimalPoint(digits));
  if (!Number.isFinite(value)) return null;
  return isNegative ? -value : value;
}

function withDecimalPoint(digits: string): string {
  const lastDot = digits.lastIndexOf('.');
  const lastComma = digits.lastIndexOf(',');
  if (lastDot >= 0 && lastComma >= 0) return pointAt(digits, Math.max(lastDot, lastComma));
  const at = Math.max(lastDot, lastComma);
  if (at === -1) return digits;
  const mark = digits.charAt(at);
  const isRepeated = digits.indexOf(mark) !== at;
  const partsThousands = digits.length - at - 1 === 3 && at > 0 && at <= 3 && !/^0/.test(digits);
  return isRepeated || partsThousands ? digits.replaceAll(mark, '') : pointAt(digits, at);
}

const pointAt = (digits: string, at: number): string =>
  `${digits.slice(0, at).replace(/\D/g, '')}.${digits.slice(at + 1).replace(/\D/g, '')}`;

const NEGATIVE =
  /^(?:|false|no|non|nein|nee|não|off|0|none|out of stock|sold out|unavailable|https?:\/\/schema\.org\/OutOfStock)$/i;

/** Returns false if the text is empty or a negation, true otherwise. */
export const booleanIn = (text: string): boolean => !NEGATIVE.test(collapseSpaces(text));

const MONTHS: readonly string[] = [
  'jan janv ene gen',
  'feb fev fév febr',
  'mar mär maa mars mrt',
  'apr avr abr kwi',
  'may mai mag mei maj',
  'jun juin giu cze',
  'jul juil lug lip',
  'aug aou aoû ago sie',
  'sep set wrz',
  'oct okt ott out paź',
  'nov lis',
  'dec dez déc dic gru',
];
const ISO = /(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*(Z|[+-]\d{2}:?\d{2})?)?/i;
const DAY_FIRST = /(?<!\d)(\d{1,2})(?:st|nd|rd|th|\.|er|º)?[\s-]+(?:de\s+)?(\p{L}{3,12})\.?,?[\s-]+(?:de\s+)?(\d{4})/u;
const MONTH_FIRST = /(\p{L}{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})/u;
const NUMERIC = /(?<!\d)(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d)/;
const YEAR_FIRST = /(?<!\d)(\d{4})[./年](\d{1,2})[./月](\d{1,2})(?!\d)/;
const EPOCH = /^\s*(\d{10}|\d{13})\s*$/;

/**
 * Returns the first date of a text as ISO 8601: an instant if the text has a zone, otherwise a day or a local time.
 * `3/4/2024` is read month first if the page is in American English or its language is unknown.
 */
export function dateIn(text: string, language: string | undefined): string | null {
  const sample = text.slice(0, 1_000);
  const epoch = EPOCH.exec(sample)?.[1];
  if (epoch) return new Date(Number(epoch) * (epoch.length === 10 ? 1_000 : 1)).toISOString();
  const iso = ISO.exec(sample);
  if (iso) return isoOf(iso);
  const yearFirst = YEAR_FIRST.exec(sample);
  if (yearFirst) return isoDay(yearFirst[1], yearFirst[2], yearFirst[3]);
  return namedMonth(sample) ?? numeric(sample, language);
}

function isoOf([, year, month, date, hour, minute, second = '00', zone]: RegExpExecArray): string | null {
  const isoDate = isoDay(year, month, date);
  if (isoDate === null || hour === undefined) return isoDate;
  const local = `${isoDate}T${hour}:${minute}:${second}`;
  if (zone === undefined) return Number.isNaN(Date.parse(`${local}Z`)) ? isoDate : local;
  const offset = /^z$/i.test(zone) ? 'Z' : zone.replace(/^(.\d{2}):?(\d{2})$/, '$1:$2');
  const at = Date.parse(`${local}${offset}`);
  return Number.isNaN(at) ? isoDate : new Date(at).toISOString();
}

function namedMonth(text: string): string | null {
  const dayFirst = DAY_FIRST.exec(text);
  const month = dayFirst && monthOf(dayFirst[2]);
  if (month) return isoDay(dayFirst[3], month, dayFirst[1]);
  const monthFirst = MONTH_FIRST.exec(text);
  const first = monthFirst && monthOf(monthFirst[1]);
  return first ? isoDay(monthFirst[3], first, monthFirst[2]) : null;
}

function numeric(text: string, language: string | undefined): string | null {
  const found = NUMERIC.exec(text);
  if (!found) return null;
  const [, first, mark, second, year] = found;
  const american = mark === '/' && (language === undefined || language === 'en' || language === 'en-us');
  const monthFirst = Number(second) > 12 || (american && Number(first) <= 12);
  return monthFirst ? isoDay(year, first, second) : isoDay(year, second, first);
}

function monthOf(name: string | undefined): string | undefined {
  const lower = name?.toLowerCase() ?? '';
  const at = MONTHS.findIndex((starts) => starts.split(' ').some((start) => lower.startsWith(start)));
  return at === -1 ? undefined : String(at + 1);
}

function isoDay(year: string | undefined, month: string | undefined, date: string | undefined): string | null {
  const iso = `${year}-${month?.padStart(2, '0')}-${date?.padStart(2, '0')}`;
  const at = new Date(`${iso}T00:00:00Z`);
  // The parser moves a day that does not exist, such as 31 June, to another one.
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(iso) ? iso : null;
}
