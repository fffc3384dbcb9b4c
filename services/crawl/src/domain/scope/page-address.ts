import { hash } from 'node:crypto';
import type { Scope } from '@tidemark/contracts/crawl/v1/crawl';
import { MAX_URL_CHARS, normalizeUrl } from '@tidemark/web-url';

/** Names of parameters that carry a visitor's session: they change from visit to visit and never which page is meant. */
const SESSION_NAME = /^(?:jsessionid|phpsessid|aspsessionid[a-z]*|cfid|cftoken|sessionid|session_id|zenid|oscsid)$/i;
/** Names that do so only where the value looks like one. */
const MAYBE_SESSION_NAME = /^(?:sid|s|ses|sess|session|token)$/i;
const SESSION_VALUE = /^[0-9a-f]{26,64}$/i;
const PATH_SESSION = /;jsessionid=[^/?]*/i;
/** In a query, what may be a session at all: a cheap test before the address is taken apart. */
const MAYBE_SESSION = /[?&](?:j?session|php|asp|cf|s|zen|osc|token)[a-z_]*=/i;

/** An address as a crawl knows it. */
export interface PageAddress {
  readonly url: string;
  readonly host: string;
  /** SHA-256 of the address as addresses are compared. */
  readonly key: Buffer;
}

/** Says which parameters of a query don't tell pages apart; a name that ends in `*` stands for all that begin so. */
export function parameterFilter(names: readonly string[]): ((name: string) => boolean) | undefined {
  if (names.length === 0) return undefined;
  const exact = new Set(names.filter((name) => !name.endsWith('*')));
  const prefixes = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));
  return (name) => exact.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

const keyOf = (compared: string): Buffer => hash('sha256', compared, 'buffer');

/**
 * The address of a page, with its key: two addresses with one key are one page. @returns undefined where it is too long to be fetched
 */
export function pageAddress(url: URL, ignored: ((name: string) => boolean) | undefined): PageAddress | undefined {
  const normal = normalizeUrl(url);
  if (normal.length > MAX_URL_CHARS) return undefined;
  const mayDiffer = ignored !== undefined || MAYBE_SESSION.test(url.search) || url.pathname.includes(';');
  return { url: normal, host: url.host, key: keyOf(mayDiffer ? compared(normal, ignored) : normal) };
}

/** The key of the page a run begins with. */
export function keyOfSeed({ seed, scope }: { readonly seed: string; readonly scope: Pick<Scope, 'ignoreQuery'> }) {
  const url = URL.parse(seed);
  return url === null ? undefined : pageAddress(url, parameterFilter(scope.ignoreQuery))?.key;
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
