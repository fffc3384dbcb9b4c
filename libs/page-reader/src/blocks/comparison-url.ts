import { normalizeUrl, withoutOpaqueTokens } from '@tidemark/web-url';
import { COMPARISON_URL_CHARS_CAP, GENERATED_NAME_CHARS, MAX_WRAPPING } from './thresholds.ts';
import { nameOf, withoutVisitorParameters } from './visitor-parameters.ts';

/** Session ids in the path: `;jsessionid=…` and ASP.NET's `/(S(…))/`. */
const IN_PATH = /;(?:jsessionid|phpsessid|sid)=[^/?#;]*|\/\([A-Z]\([^()/]{8,}\)\)/gi;
/** URLs that are generated for each visitor. */
const PER_VISIT = /\/cdn-cgi\/(?:l\/email-protection|challenge-platform|rum)/;
const NEEDS_NORMALIZING = /[?;%#([\]^`{|}]/;

/**
 * Returns the form of an absolute URL that comparisons use: without fragment, parameters of tracking, sessions, signatures and
 * caches, other parameters in a fixed order, http as https. Undefined for URLs that are generated per visit or too long.
 */
export function comparisonUrl(url: string): string | undefined {
  const compared = comparisonUrlWithScheme(url);
  return compared?.startsWith('http:') ? `https:${compared.slice(5)}` : compared;
}

/** As `comparisonUrl`, with its scheme: for values that state which URL is meant. */
export function comparisonUrlWithScheme(url: string): string | undefined {
  if (url.length > COMPARISON_URL_CHARS_CAP || PER_VISIT.test(url)) return undefined;
  if (!/^https?:/.test(url)) return url;
  return NEEDS_NORMALIZING.test(url) ? withoutVisitorParts(url) : url;
}

function withoutVisitorParts(url: string, depth = 0): string {
  const route = ROUTE.exec(url)?.[0] ?? '';
  const bare = normalizeUrl(url.replace(IN_PATH, ''));
  const mark = bare.indexOf('?');
  if (mark === -1) return bare + route;
  const path = bare.slice(0, mark);
  const pairs = withoutVisitorParameters(bare.slice(mark + 1).split('&'), path)
    .filter((pair) => pair !== '')
    .map((pair) => withWrappedUrl(pair, depth));
  // Parameters with the same name keep their order, which servers may depend on.
  pairs.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : nameOf(a) > nameOf(b) ? 1 : 0));
  const isWrapper = pairs.some((pair) => WRAPPED.test(pair.slice(nameOf(pair).length + 1)));
  const place = isWrapper ? withoutOpaqueTokens(path) : path;
  return place + (pairs.length === 0 ? '' : `?${pairs.join('&')}`) + route;
}

/** An absolute URL as the value of a parameter: where a redirect leads to. */
const WRAPPED = /^https?(?::|%3A)/i;

/** A URL inside a URL is reduced by the same rules. */
function withWrappedUrl(pair: string, depth: number): string {
  const name = nameOf(pair);
  const value = pair.slice(name.length + 1);
  if (depth >= MAX_WRAPPING || !WRAPPED.test(value)) return pair;
  try {
    return `${name}=${encodeURIComponent(withoutVisitorParts(decodeURIComponent(value), depth + 1))}`;
  } catch {
    return pair;
  }
}

/** Fragments that contain the path in old script routers. */
const ROUTE = /#!?\/.*$/;

/**
 * Returns the file name of an image without the parts that builds and image services add. Empty if nothing else is
 * left.
 */
export function imageName(url: string): string {
  const path = url.slice(0, endOf(url.search(/[?#]/), url));
  const file = path.slice(path.lastIndexOf('/') + 1).slice(0, 200);
  const dot = file.lastIndexOf('.');
  const stem = dot > 0 ? file.slice(0, dot) : file;
  return stem
    .split(/[._~@-]+/)
    .filter((part) => part !== '' && !isMachineMade(part))
    .join('-')
    .toLowerCase();
}

/** Returns an image's URL without the query of image services and without build hashes in the name. */
export const imageUrl = (url: string): string =>
  url.replace(/[?#].*$/, '').replace(/[.-](?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{6,}(?=\.\w{2,5}$)/i, '');

const endOf = (found: number, text: string): number => (found === -1 ? text.length : found);

/** True for hashes, ids and sizes: `9f8e7d6c`, `X1b2C3d4`, `300x200`, `2x`, `w640`. */
const isMachineMade = (part: string): boolean =>
  /^(?:[wh]?\d+|\d+x\d*|[0-9a-f]{6,}|min|scaled|webp|jpe?g|png)$/i.test(part) ||
  (part.length >= GENERATED_NAME_CHARS && /\d/.test(part) && /[a-z]/i.test(part) && !/^[a-z]+\d{1,4}$/i.test(part));
