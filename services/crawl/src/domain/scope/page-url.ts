import { hash } from 'node:crypto';
import type { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { isTrackingParameter, MAX_URL_CHARS, normalizeUrl } from '@tidemark/web-url';

/** Names of session parameters: they change with each visit and never identify a page. */
const SESSION_NAME = /^(?:jsessionid|phpsessid|aspsessionid[a-z]*|cfid|cftoken|sessionid|session_id|zenid|oscsid)$/i;
/** Names that count as session parameters only if the value looks like a session id. */
const MAYBE_SESSION_NAME = /^(?:sid|s|ses|sess|session|token)$/i;
const SESSION_VALUE = /^[0-9a-f]{26,64}$/i;
const PATH_SESSION = /;jsessionid=[^/?]*/i;
/** A cheap test for possible session parameters before the query is parsed. */
const MAYBE_SESSION = /[?&](?:j?session|php|asp|cf|s|zen|osc|token)[a-z_]*=/i;

/** A normalized URL with its key. */
export interface PageUrl {
  readonly url: string;
  readonly host: string;
  /** SHA-256 of the URL without ignored parameters. */
  readonly key: Buffer;
}

/** The settings that select the query parameters ignored in comparisons. */
export type IgnoredParameters = Pick<Scope, 'ignoreQuery' | 'keepTracking'>;

/** Returns a filter for query parameters that are ignored in comparisons; a name that ends in `*` is a prefix. */
export function parameterFilter({
  ignoreQuery,
  keepTracking,
}: IgnoredParameters): ((name: string) => boolean) | undefined {
  const named = nameFilter(ignoreQuery);
  if (keepTracking) return named;
  return named === undefined ? isTrackingParameter : (name) => isTrackingParameter(name) || named(name);
}

function nameFilter(names: readonly string[]): ((name: string) => boolean) | undefined {
  if (names.length === 0) return undefined;
  const exact = new Set(names.filter((name) => !name.endsWith('*')));
  const prefixes = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return (name) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

const keyOf = (compared: string): Buffer => hash('sha256', compared, 'buffer');

/**
 * Returns the URL of a page with its key: two URLs with one key are one page; undefined if the URL is too long.
 */
export function toPageUrl(url: URL, ignored: ((name: string) => boolean) | undefined): PageUrl | undefined {
  const normal = normalizeUrl(url);
  if (normal.length > MAX_URL_CHARS) return undefined;
  const mayDiffer =
    (ignored !== undefined && url.search !== '') || MAYBE_SESSION.test(url.search) || url.pathname.includes(';');
  return { url: normal, host: url.host, key: keyOf(mayDiffer ? compared(normal, ignored) : normal) };
}

/** Returns the key of the seed. */
export function keyOfSeed({ seed, scope }: { readonly seed: string; readonly scope: IgnoredParameters }) {
  const url = URL.parse(seed);
  return url === null ? undefined : toPageUrl(url, parameterFilter(scope))?.key;
}

function compared(normal: string, ignored: ((name: string) => boolean) | undefined): string {
  const [path = '', query] = splitOnce(normal.replace(PATH_SESSION, ''), '?');
  if (query === undefined) return path;
  const kept = query.split('&').filter((pair) => {
    const [name = '', value = ''] = splitOnce(pair, '=');
    if (ignored?.(decoded(name)) === true) return false;
    return !SESSION_NAME.test(name) && !(MAYBE_SESSION_NAME.test(name) && SESSION_VALUE.test(value));
  });
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`;
}

function splitOnce(text: string, by: string): [string, string?] {
  const at = text.indexOf(by);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
