import { isCamelCaseWords, isScrambled } from './generated-names.ts';

/** Normalises values for comparison: parts that depend on builds, visits and clocks are replaced by `*` or left out. */

const URL_ATTRIBUTES = /^(?:src|href|poster|content|action|data|(?:data-[\w-]*)(?:src|href|url|bg))$/;
const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/gi;
const LONG_HEX = /(?<![0-9a-z])(?=[a-f]*\d)[0-9a-f]{8,}(?![0-9a-z])/gi;
const LONG_STRING = /(["'])(?=[^"'\d]{0,80}\d)[A-Za-z0-9+/_-]{16,200}={0,2}\1/g;
const EPOCH = /(?<!\d)1[5-9]\d{8}(?:\d{3})?(?!\d)/g;
const ISO_TIMESTAMP = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?/g;
const DAY = String.raw`(?:\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}|(?:[A-Z][a-z]{2,8},? )?(?:[A-Z][a-z]{2,8} \d{1,2}|\d{1,2} [A-Z][a-z]{2,8}),? \d{4})`;
const TIME_WITH_SECONDS = new RegExp(
  String.raw`(?:${DAY},?(?: at)? )?\b\d{1,2}:\d\d:\d\d(?: ?[ap]\.?m\.?)?(?: (?:GMT|UTC))?`,
  'g',
);
const ISO_WITH_SECONDS = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?/g;
const AGE = /\b(?:an?|\d+) (?:second|minute|hour|day|week|month)s? ago\b|\bjust now\b/gi;
const SESSION_KEYS =
  /;jsessionid=[^?#&]*|\/\(S\([^)]*\)\)|(?<=[?&])(?:PHPSESSID|sid|session_?id|_ga|_gl|utm_\w+|cb|_|ts|nocache|cachebust)=[^&#]*&?/gi;

/** Longer values are data, not URLs. */
const MAX_URL_CHARS = 2_000;
export const isUrlAttribute = (name: string, value: string): boolean =>
  URL_ATTRIBUTES.test(name) && value.length <= MAX_URL_CHARS;

/** Replaces hashes, UUIDs and epoch timestamps. */
export const normalizeNumbers = (text: string): string =>
  text.replace(UUID, '*').replace(LONG_HEX, '*').replace(EPOCH, '*');
const ASSET =
  /\.(?:m?js|css|map|png|jpe?g|gif|webp|avif|svg|ico|woff2?|ttf|eot|otf|json|webmanifest|mp4|webm)(?:[?#]|$)/i;

/** Returns an asset URL without hashes and versions; names of words keep their digits. */
export const normalizeAssetUrl = (url: string): string =>
  ASSET.test(url)
    ? url
        .replace(/(?<=[./_-])[\w-]{8}(?=\.(?:m?js|css)(?:[?#]|$))/, (part) => (isShortHash(part) ? '*' : part))
        .replace(/(?<=[./_-])[0-9a-zA-Z]{6,64}(?=[./_-])/g, (part) => (isHash(part) ? '*' : part))
        .replace(/(?<=\/)\d+-(?=\*\.js)/, '')
        .replace(/[?](?:v|ver|version|rev|t|h|hash|itok|_|m)?=?[\w.%-]{1,64}(?=$|#)/, '')
    : url;

/** Numbers alone identify images and people, not builds. */
const isHash = (part: string): boolean => /[a-z]/i.test(part) && isScrambled(part);

/** Hashes of bundlers: eight characters, possibly only letters. */
const isShortHash = (part: string): boolean =>
  !isCamelCaseWords(part) && /[A-Z\d_-]/.test(part) && !/^[a-z]+[-_]?[a-z\d]+$/.test(part);

export const withoutSessionIds = (url: string): string => url.replace(SESSION_KEYS, '').replace(/[?&]+(?=#|$)/, '');

/** Replaces timestamps in attribute values. */
export const normalizeTimestamps = (value: string): string => value.replace(ISO_TIMESTAMP, '*').replace(EPOCH, '*');

/**
 * Replaces timestamps that only machines write: with seconds, or as an age. Dates and times of day remain, because a
 * changed event or opening hour is a change.
 */
export const normalizeTextTimestamps = (text: string): string =>
  text.replace(ISO_WITH_SECONDS, '*').replace(TIME_WITH_SECONDS, '*').replace(AGE, '*');

/** Returns code without embedded data. */
export const normalizeScript = (code: string): string =>
  normalizeTimestamps(normalizeNumbers(withoutJson(code)))
    .replace(LONG_STRING, '$1*$1')
    .replace(/\s+/g, ' ');

/** Replaces each literal that begins like JSON (`{"`, `[{`, `["`) with `{}`. */
function withoutJson(code: string): string {
  const parts: string[] = [];
  let from = 0;
  const begins = /[{[](?=\s*["[{]|\d+,")/g;
  for (let begin = begins.exec(code); begin !== null; begin = begins.exec(code)) {
    const end = endOfLiteral(code, begin.index);
    parts.push(code.slice(from, begin.index), '{}');
    from = end;
    begins.lastIndex = end;
  }
  return parts.join('') + code.slice(from);
}

/** Returns the end of the bracket at `start`, skipping strings. An unclosed bracket ends with the code. */
function endOfLiteral(code: string, start: number): number {
  let depth = 0;
  for (let at = start; at < code.length; at += 1) {
    const char = code[at];
    if (char === '"') at = closingQuote(code, at);
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return code.length;
}

/** Returns the index of the quote that closes the string at `start`; the length of the code if it is unclosed. */
function closingQuote(code: string, start: number): number {
  let at = start + 1;
  while (at < code.length && code[at] !== '"') at += code[at] === '\\' ? 2 : 1;
  return at;
}
