import { currencyAfter, currencyBefore, currencyOf, decimalsOf, isCurrency, type Locale } from './currencies.ts';
import { AMOUNT_CAP, AMOUNTS_CAP, PRICE_CHARS, THOUSANDS_DIGITS } from './thresholds.ts';

const PLAIN = /^\d{1,11}(?:\.\d{1,10})?$/;

/**
 * Returns an amount of structured data: a number, or a text with a decimal point as schema.org prescribes
 * (https://schema.org/price). Other spellings are read as they are on pages.
 */
export function declaredAmount(value: unknown, currency: string | undefined): number | undefined {
  if (typeof value === 'number') return bounded(value);
  if (typeof value !== 'string' || value.length > PRICE_CHARS) return undefined;
  const text = value.trim();
  if (PLAIN.test(text) && !isGrouped(text, currency)) return bounded(Number(text));
  const found = new RegExp(NUMBER).exec(westernDigits(text));
  return found === null ? undefined : amountOf(found[0], currency);
}

/** True for `24.990` in a currency without decimals, where the point separates thousands. */
const isGrouped = (text: string, currency: string | undefined): boolean =>
  currency !== undefined && decimalsOf(currency) === 0 && /^\d{1,3}\.\d{3}$/.test(text);

function bounded(value: number): number | undefined {
  return Number.isFinite(value) && value >= 0 && value < AMOUNT_CAP ? Math.round(value * 10_000) / 10_000 : undefined;
}

const SPACE = '[ \\u00a0\\u2009\\u202f]';
/** Groups of thousands, of Indian lakhs, or plain digits; then decimals, or a dash in their place. */
const NUMBER =
  `(?<![\\d.,])(?:\\d{1,3}(?:[.,'’]\\d{3})+|\\d{1,3}(?:${SPACE}\\d{3})+|\\d{1,2}(?:,\\d{2})+,\\d{3}|\\d{1,9})` +
  '(?:[.,:٫]\\d{1,4}(?!\\d)|[.,:]?[-–—]{1,2}(?!\\s?\\d))?(?![\\d])';

/**
 * Returns the amount that a national spelling denotes. The last separator is the decimal one unless three digits follow
 * it, which only currencies with thousandths write as decimals.
 */
export function amountOf(spelled: string, currency: string | undefined): number | undefined {
  const digits = spelled
    .replace(/[.,:]?[-–—]+$/, '')
    .replace(/[\s\u00a0\u2009\u202f'’]/g, '')
    .replaceAll('٫', '.');
  const mark = /[.,:](?=\d+$)/.exec(digits);
  if (mark === null) return bounded(Number(digits));
  const at = mark.index;
  const whole = digits.slice(0, at).replace(/[.,:]/g, '');
  const rest = digits.slice(at + 1);
  if (isThousands(digits, at, currency)) return bounded(Number(whole + rest));
  return bounded(Number(`${whole}.${rest}`));
}

function isThousands(digits: string, at: number, currency: string | undefined): boolean {
  if (digits.length - at - 1 !== 3 || digits.charAt(at) === ':') return false;
  const before = digits.slice(0, at);
  // `1.234,567`: the last separator differs from those before it.
  if (/[.,]/.test(before)) return before.includes(digits.charAt(at)) || decimalsOf(currency) !== 3;
  return at <= THOUSANDS_DIGITS && !before.startsWith('0') && decimalsOf(currency) !== 3;
}

/** An amount in a text. */
export interface FoundAmount {
  readonly amount: number;
  readonly currency: string | undefined;
  /** True if a currency is written before or after the amount. */
  readonly hasCurrency: boolean;
  readonly at: number;
  readonly end: number;
}

const NUMBERS = new RegExp(NUMBER, 'g');

/** Returns the amounts of a text in order, with or without a currency, without percentages. The text has at most a few hundred characters. */
export function amountsIn(given: string, locale: Locale): FoundAmount[] {
  const text = westernDigits(given);
  const found: FoundAmount[] = [];
  for (const { 0: number, index } of text.matchAll(NUMBERS)) {
    const end = index + number.length;
    if (found.length >= AMOUNTS_CAP) break;
    if (/^\s?%/.test(text.slice(end, end + 2))) continue;
    const before = currencyBefore(text, index);
    const after = currencyAfter(text, end);
    const symbol = before ?? after?.symbol;
    const currency = symbol === undefined ? undefined : currencyOf(symbol, locale);
    const amount = amountOf(number, currency);
    if (amount === undefined) continue;
    const hasCurrency = currency !== undefined || (symbol !== undefined && isCurrency(symbol));
    found.push({ amount, currency, hasCurrency, at: index, end: before === undefined ? (after?.end ?? end) : end });
  }
  return found;
}

const OTHER_DIGITS = /[٠-٩۰-۹०-९০-৯๐-๙０-９]/;
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50, 0xff10];

/** Writes decimal digits of other scripts as ASCII. The length of the text stays the same. */
export function westernDigits(text: string): string {
  if (!OTHER_DIGITS.test(text)) return text;
  return text.replace(/[٠-٩۰-۹०-९০-৯๐-๙０-９]/g, (digit) => {
    const code = digit.charCodeAt(0);
    const zero = ZEROS.findLast((first) => code >= first) ?? 0x30;
    return String(code - zero);
  });
}
