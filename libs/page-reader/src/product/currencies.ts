import { CURRENCY_CHARS } from './thresholds.ts';

/** Currencies that a symbol or abbreviation can denote; with more than one, the country of the page decides. */
const SYMBOLS: readonly (readonly [symbols: string, ...codes: string[]])[] = [
  ['€ eur euro euros ευρώ', 'EUR'],
  ['£ ￡', 'GBP'],
  ['us$ $us u$s', 'USD'],
  ['c$ ca$ cad$', 'CAD'],
  ['a$ au$', 'AUD'],
  ['nz$', 'NZD'],
  ['hk$', 'HKD'],
  ['nt$', 'TWD'],
  ['s$', 'SGD'],
  ['mx$ mex$', 'MXN'],
  ['r$', 'BRL'],
  ['clp$', 'CLP'],
  ['cop$', 'COP'],
  ['ar$', 'ARS'],
  ['rd$', 'DOP'],
  [
    '$ ＄',
    'USD',
    'CAD',
    'AUD',
    'NZD',
    'MXN',
    'ARS',
    'CLP',
    'COP',
    'SGD',
    'HKD',
    'TWD',
    'UYU',
    'DOP',
    'BBD',
    'JMD',
    'TTD',
    'BSD',
    'BZD',
    'FJD',
    'NAD',
  ],
  ['¥ ￥', 'JPY', 'CNY'],
  ['円 jp¥', 'JPY'],
  ['元 rmb cn¥', 'CNY', 'TWD'],
  ['₹', 'INR'],
  ['rs rs.', 'INR', 'PKR', 'LKR', 'NPR', 'MUR', 'SCR'],
  ['₨', 'PKR', 'INR', 'LKR', 'NPR', 'MUR'],
  ['₽ руб руб. р. rub.', 'RUB'],
  ['₴ грн грн.', 'UAH'],
  ['₸ тг тг. тенге', 'KZT'],
  ['br руб.бел byn.', 'BYN', 'ETB'],
  ['₩ 원', 'KRW'],
  ['₫ đ vnđ', 'VND'],
  ['฿ บาท', 'THB'],
  ['₺ tl', 'TRY'],
  ['₪ ש״ח nis', 'ILS'],
  ['₱ php.', 'PHP'],
  ['₦', 'NGN'],
  ['₵ gh₵ gh¢', 'GHS'],
  ['₡', 'CRC'],
  ['₲ gs gs.', 'PYG'],
  ['₼', 'AZN'],
  ['₾', 'GEL'],
  ['֏', 'AMD'],
  ['zł zl', 'PLN'],
  ['kč', 'CZK'],
  ['ft', 'HUF'],
  ['lei', 'RON', 'MDL'],
  ['лв лв.', 'BGN'],
  ['ден', 'MKD'],
  ['km', 'BAM'],
  ['kn', 'HRK'],
  ['дин дин. din din.', 'RSD'],
  ['kr kr.', 'SEK', 'NOK', 'DKK', 'ISK'],
  ['sfr fr fr.', 'CHF'],
  ['rm', 'MYR'],
  ['rp rp.', 'IDR'],
  ['s/ s/.', 'PEN'],
  ['bs bs.', 'BOB', 'VES'],
  ['q', 'GTQ'],
  ['r', 'ZAR'],
  ['ksh ksh. kes.', 'KES'],
  ['tsh', 'TZS'],
  ['ush', 'UGX'],
  ['৳ tk', 'BDT'],
  ['د.إ', 'AED'],
  ['dhs dhs. درهم', 'AED', 'MAD'],
  ['dh', 'MAD', 'AED'],
  ['ر.س ريال sr', 'SAR'],
  ['د.ك kd', 'KWD'],
  ['ج.م egp. le l.e.', 'EGP'],
  ['تومان', 'IRT'],
  ['ریال', 'IRR'],
];

const CODES =
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BND BOB BRL BSD BWP BYN BZD CAD CHF CLP CNY COP CRC CZK DKK DOP ' +
  'DZD EGP ETB EUR FJD GBP GEL GHS GTQ HKD HNL HRK HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KHR KRW KWD KZT LAK LBP LKR LYD ' +
  'MAD MDL MKD MMK MNT MOP MUR MVR MXN MYR NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SCR ' +
  'SEK SGD SYP THB TND TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND XAF XOF XPF YER ZAR ZMW';

const ISO_CODES: ReadonlySet<string> = new Set(CODES.split(' '));

const BY_SYMBOL: ReadonlyMap<string, readonly string[]> = new Map([
  ...CODES.split(' ').map((code): [string, string[]] => [code.toLowerCase(), [code]]),
  ...SYMBOLS.flatMap(([symbols, ...codes]) => symbols.split(' ').map((symbol): [string, string[]] => [symbol, codes])),
]);

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Abbreviations that stand before an amount only, or after it only. */
const ONLY_BEFORE = setOf('r q s/ s/. rs rs. rm rp rp. sr le bs bs. gs gs.');
const ONLY_AFTER = setOf('ft km р. lei ден kn tl');
/** Abbreviations that are words or units elsewhere: they denote a currency on pages of its country only. */
const LOCAL = setOf('ft km kn r q br fr fr. bs bs. sr dh le tk tl din din. gs gs. р.');

/** Letters and signs of the longest symbol. */
const SYMBOL_CHARS = Math.max(...[...BY_SYMBOL.keys()].map((symbol) => symbol.length));

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const isJoined = (inner: string, outer: string): boolean => LETTER_OR_DIGIT.test(inner) && LETTER_OR_DIGIT.test(outer);

/** Returns the longest currency that ends at a position of a text, with at most two spaces or a colon between: `US$ 5`. */
export function currencyBefore(text: string, at: number): string | undefined {
  const end =
    text
      .slice(Math.max(0, at - 3), at)
      .trimEnd()
      .replace(/[:=]$/, '')
      .trimEnd().length + Math.max(0, at - 3);
  let found: string | undefined;
  for (let from = end - 1; from >= 0 && end - from <= SYMBOL_CHARS + 1; from--) {
    // `US $5`
    const symbol = text
      .slice(from, end)
      .toLowerCase()
      .replace(/ (?=\$$)/, '');
    const isKnown =
      BY_SYMBOL.has(symbol) && !ONLY_AFTER.has(symbol) && !isJoined(text.charAt(from), text.charAt(from - 1));
    if (isKnown && !isWord(text.slice(from, end))) found = symbol;
  }
  return found;
}

/** Returns the longest currency that begins at a position of a text, after at most two spaces. */
export function currencyAfter(text: string, at: number): { readonly symbol: string; readonly end: number } | undefined {
  const from = at + (/^[ \u00a0\u2009\u202f]{0,2}/.exec(text.slice(at, at + 2))?.[0].length ?? 0);
  for (let end = Math.min(text.length, from + SYMBOL_CHARS); end > from; end--) {
    const spelled = text.slice(from, end);
    const symbol = spelled.toLowerCase();
    const isKnown =
      BY_SYMBOL.has(symbol) && !ONLY_BEFORE.has(symbol) && !isJoined(text.charAt(end - 1), text.charAt(end));
    if (isKnown && !isWord(spelled)) return { symbol, end };
  }
  return undefined;
}

/** Codes in small letters are words of a language: `all`, `try`, `top`. */
const isWord = (symbol: string): boolean =>
  symbol.length === 3 && ISO_CODES.has(symbol.toUpperCase()) && !/^(?:eur|usd|[A-Z]{3})$/.test(symbol);

const pairs = (list: string): ReadonlyMap<string, string> =>
  new Map(
    list.split(' ').map((pair): [string, string] => {
      const [name = '', code = ''] = pair.split(':');
      return [name, code];
    }),
  );

const COUNTRIES = pairs(
  'us:USD ca:CAD au:AUD nz:NZD mx:MXN ar:ARS cl:CLP co:COP sg:SGD hk:HKD tw:TWD uy:UYU do:DOP jm:JMD tt:TTD jp:JPY cn:CNY in:INR ' +
    'pk:PKR lk:LKR np:NPR mu:MUR se:SEK no:NOK dk:DKK is:ISK ae:AED ma:MAD ro:RON md:MDL by:BYN et:ETB bo:BOB ve:VES sc:SCR bb:BBD ' +
    'bs:BSD bz:BZD fj:FJD na:NAD hu:HUF ba:BAM hr:HRK za:ZAR gt:GTQ ch:CHF sa:SAR eg:EGP bd:BDT tr:TRY rs:RSD py:PYG ru:RUB',
);

/** Languages of which nearly all speakers use one of the currencies of a shared symbol. */
const LANGUAGES = pairs(
  'ja:JPY sv:SEK nb:NOK nn:NOK no:NOK da:DKK is:ISK ro:RON ur:PKR hi:INR hu:HUF hr:HRK tr:TRY bn:BDT ru:RUB',
);

/** Where a page is from. */
export interface Locale {
  /** BCP 47 */
  readonly language: string | undefined;
  readonly url: string;
}

/** Returns the ISO 4217 code that a symbol, abbreviation or code denotes on a page; undefined if it may be several. */
export function currencyOf(text: string, locale: Locale): string | undefined {
  const codes = BY_SYMBOL.get(text.trim().toLowerCase());
  if (codes === undefined) return undefined;
  if (codes.length === 1 && !LOCAL.has(text.trim().toLowerCase())) return codes[0];
  const local = [countryOf(locale.url), regionOf(locale.language)].map((country) => COUNTRIES.get(country));
  const byCountry = local.find((code) => code !== undefined && codes.includes(code));
  if (byCountry !== undefined) return byCountry;
  const byLanguage = LANGUAGES.get(locale.language?.toLowerCase().split('-')[0] ?? '');
  return byLanguage !== undefined && codes.includes(byLanguage) ? byLanguage : undefined;
}

/** True for a symbol or abbreviation that is a currency whatever the country of the page. */
export const isCurrency = (symbol: string): boolean => !LOCAL.has(symbol.trim().toLowerCase());

/** Returns a declared ISO 4217 code, or what a declared symbol denotes. */
export function declaredCurrency(text: string | undefined, locale: Locale): string | undefined {
  const code = text?.trim().toUpperCase();
  if (code === undefined || code === '' || code.length > CURRENCY_CHARS) return undefined;
  return ISO_CODES.has(code) ? code : currencyOf(code, locale);
}

/** The region of a language tag: `en-US`. https://www.rfc-editor.org/rfc/rfc5646#section-2.2.4 */
const regionOf = (language: string | undefined): string =>
  language
    ?.toLowerCase()
    .split('-')
    .find((part, at) => at > 0 && part.length === 2) ?? '';

/** Domains of countries that sites of other countries use. */
const GENERIC_DOMAINS = new Set(['co', 'tv', 'me', 'io', 'ai', 'is', 'md', 'sc', 'bz']);

function countryOf(url: string): string {
  const host = URL.parse(url)?.hostname ?? '';
  const last = host.slice(host.lastIndexOf('.') + 1);
  return last.length === 2 && !(GENERIC_DOMAINS.has(last) && host.split('.').length <= 2) ? last : '';
}

/** Currencies without minor units: https://www.iso.org/iso-4217-currency-codes.html */
const WHOLE: ReadonlySet<string> = new Set('CLP ISK JPY KRW PYG RWF UGX VND XAF XOF XPF'.split(' '));
const THOUSANDTHS: ReadonlySet<string> = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '));

/** Returns the number of decimals of amounts in a currency; 2 if it is unknown. */
export function decimalsOf(currency: string | undefined): number {
  if (currency === undefined) return 2;
  if (WHOLE.has(currency)) return 0;
  return THOUSANDTHS.has(currency) ? 3 : 2;
}
