/** Hex digits, with or without the hyphens of a UUID. */
const HEX = /^[0-9a-f]{16,}$/i;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
/** The characters of base64, base64url and their percent-encoded forms; dots separate the parts of a JSON Web Token. */
const BASE64 = /^[\w+/~.-]{20,}={0,2}$/;
const MIN_TOKEN_CHARS = 16;
/** A word, a number or a short code, as names joined by hyphens have them. */
const NAME_PART = /^(?:[A-Z]?[a-z]+|[A-Z]+|\d+|[a-z]+\d{1,4}|\w{1,3})$/;

/**
 * Returns true if a part of a URL is a random value: a UUID, 16 hex digits, or 20 characters of base64 whose letters and
 * digits follow no words. Names of several words, dates and numbers are not.
 */
export function isOpaqueToken(encoded: string): boolean {
  if (encoded.length < MIN_TOKEN_CHARS) return false;
  const value = encoded.includes('%') ? encoded.replace(/%(?:2B|2F|3D|7E)/gi, decodeURIComponent) : encoded;
  if (UUID.test(value)) return true;
  if (HEX.test(value)) return /\d/.test(value) && /[a-f]/i.test(value);
  if (!BASE64.test(value)) return false;
  const parts = value.split(/[-_.+/~=]+/).filter(Boolean);
  return !(parts.length > 1 && parts.every((part) => NAME_PART.test(part))) && isRandom(parts.join(''));
}

/** Returns a URL with its random parts replaced, so that two forms of one URL are equal. */
export function withoutOpaqueTokens(url: string): string {
  if (url.length < MIN_TOKEN_CHARS) return url;
  return url.replace(PART, (part) => (isOpaqueToken(withoutEnding(part)) ? part.replace(STEM, '{token}') : part));
}

/** Parts of a path and values of a query. */
const PART = /[^/?&=;#:]+={0,2}(?=[/?&;#]|$)/g;
const STEM = /^.*?(?=\.[a-z]\w{1,4}$|$)/i;
const withoutEnding = (part: string): string => part.replace(/\.[a-z]\w{1,4}$/i, '');

const MIN_RANDOM_CHARS = 16;
/** Share of neighbouring characters of different kinds that names do not reach, with all three kinds and with two. */
const MIN_CHANGES = 0.22;
const MIN_CHANGES_OF_TWO = 0.34;
/** A run of small letters as long as a word. */
const WORDS = /[A-Z]?[a-z]{8,}/g;
const MIN_REST_CHARS = 12;
/** Shares of capitals that names written in small letters and names written in capitals do not reach. */
const MIXED_CAPITALS = { least: 0.25, most: 0.75 };

/** Whether capitals, small letters and digits alternate as in no name. A small letter after a capital is usual and does not count. */
function isRandom(whole: string): boolean {
  const run = whole.replace(WORDS, '');
  if (whole.length < MIN_RANDOM_CHARS || run.length < MIN_REST_CHARS) return false;
  const changes = run.match(/[a-z](?=[A-Z\d])|\d(?=[A-Za-z])|[A-Z](?=\d)/g)?.length ?? 0;
  const hasAllKinds = /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run);
  const capitals = (run.match(/[A-Z]/g)?.length ?? 0) / run.length;
  if (/[a-z]/.test(run) && capitals >= MIXED_CAPITALS.least && capitals <= MIXED_CAPITALS.most) return true;
  return changes >= run.length * (hasAllKinds ? MIN_CHANGES : MIN_CHANGES_OF_TWO);
}
