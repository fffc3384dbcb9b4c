/** Formats of numbers, dates and durations in the language of the console. */
import { formatLocale as LOCALE, locale } from '../language/locale.ts';

const numbers = new Intl.NumberFormat(LOCALE);
const shares = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 0 });
const exactShares = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 });
const compacts = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });
const moments = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });
const seconds = new Intl.DateTimeFormat(LOCALE, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
});
const exactMoments = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full', timeStyle: 'long' });
const days = new Intl.DateTimeFormat(LOCALE, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const dates = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeZone: 'UTC' });
const relatives = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
const plurals = new Intl.PluralRules(locale);

export const number = (value: number): string => numbers.format(value);
export const compact = (value: number): string => compacts.format(value);
export const share = (value: number): string => shares.format(value);
/** With one decimal. */
export const exactShare = (value: number): string => exactShares.format(value);
export const moment = (iso: string): string => moments.format(new Date(iso));
/** Returns a time to the second, without its year: for logs. */
export const second = (iso: string): string => seconds.format(new Date(iso));
export const exactMoment = (iso: string): string => exactMoments.format(new Date(iso));
const zoned = (timeZone: string) =>
  new Intl.DateTimeFormat(LOCALE, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
    timeZone,
  });
/** Formats a time in a time zone, to the minute. */
export const zonedMoment = (at: Date, timeZone: string): string => zoned(timeZone).format(at);
export const zonedRange = (from: Date, until: Date, timeZone: string): string =>
  zoned(timeZone).formatRange(from, until);
/** Formats minor units with the digits of their currency: JPY has none, INR two, KWD three. */
export function money(minor: number, currency: string): string {
  const format = new Intl.NumberFormat(LOCALE, { style: 'currency', currency, currencyDisplay: 'code' });
  return format.format(minor / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
}
/** Formats an amount in the units of its currency; without a currency as a number. */
export const amount = (value: number, currency: string | null): string =>
  new Intl.NumberFormat(LOCALE, {
    ...(currency === null ? {} : { style: 'currency', currency, currencyDisplay: 'code' }),
    maximumFractionDigits: 4,
  }).format(value);
/** Formats a date such as Nov 22, 2026. */
export const date = (iso: string): string => dates.format(new Date(iso));
/** Formats a calendar day such as 2026-11-22. */
export const day = (text: string): string => days.format(new Date(text.length === 10 ? `${text}T00:00:00Z` : text));

const SIZES = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Formats a number of bytes, such as `1.5 MB`. */
export function bytes(value: number): string {
  const at = Math.min(SIZES.length - 1, Math.floor(Math.log2(Math.max(1, value)) / 10));
  const size = value / 1_024 ** at;
  return `${numbers.format(size < 10 ? Math.round(size * 10) / 10 : Math.round(size))} ${SIZES[at]}`;
}

/** Returns a count with its noun: `1 page`, `16 pages`. */
export const count = (value: number, one: string, other: string): string =>
  `${number(value)} ${plurals.select(value) === 'one' ? one : other}`;

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Returns a time relative to `now`, such as `3 hours ago`. */
export function relative(iso: string, now: number): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  for (const [unit, size] of UNITS)
    if (Math.abs(seconds) >= size) return relatives.format(Math.round(seconds / size), unit);
  return relatives.format(Math.round(seconds), 'second');
}

/** Returns a duration in its two largest units, such as `1 min 20 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
