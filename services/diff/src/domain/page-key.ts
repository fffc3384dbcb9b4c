import { createHash } from 'node:crypto';
import { isTrackingParameter, normalizeUrl } from '@tidemark/web-url';

/** Query parameters that hold a session id (from EDGI's list). */
const SESSION = /^(?:jsessionid|phpsessid|aspsessionid\w*|sessionid|session_id|sid|cfid|cftoken)$/i;
/** Session ids in the path: `;jsessionid=…` and ASP.NET's `/(S(…))/`. */
const SESSION_IN_PATH = /;(?:jsessionid|phpsessid|sid)=[^/;]*|\/\([A-Z]\([\w-]*\)\)(?=\/|$)/gi;

/** PostgreSQL limits the size of an index entry. */
const MAX_KEY_CHARS = 1_500;
const MAX_PREFIX_CHARS = 1_200;

/** The configured treatment of query parameters. */
export interface QueryRules {
  readonly ignoreQuery: ReadonlySet<string>;
  /** Whether tracking parameters identify a page. */
  readonly keepTracking: boolean;
}

const NO_RULES: QueryRules = { ignoreQuery: new Set(), keepTracking: false };

/**
 * Returns the key that identifies a page across runs: host, path and query without scheme, default port, fragment,
 * trailing slash, tracking and session parameters. Query pairs are sorted by name; pairs with one name keep their
 * order. ASCII only, so that byte order and string order are equal.
 */
export function pageKey(url: string, rules: QueryRules = NO_RULES): string {
  const parsed = URL.parse(url);
  if (parsed === null) return bounded(encodeURI(url.toWellFormed()));
  const { host, pathname, search } = new URL(normalizeUrl(parsed));
  const path = pathname.replace(SESSION_IN_PATH, '').replace(/\/+$/, '');
  return bounded(`${host}${path}${identifyingQuery(search, rules)}`);
}

/** Replaces the end of a long key with its hash. */
function bounded(key: string): string {
  if (key.length <= MAX_KEY_CHARS) return key;
  return `${key.slice(0, MAX_PREFIX_CHARS)}~${createHash('sha256').update(key).digest('hex')}`;
}

/** Returns the host and the first path segment. Pages with one folder are treated as one section of the site. */
export function folderOf(key: string): string {
  const [path = ''] = key.split('?', 1);
  const [host = '', first = '', ...deeper] = path.split('/');
  return deeper.length === 0 ? host : `${host}/${first}`;
}

/** Whether the key is that of a host's front page. */
export function isFrontPage(key: string): boolean {
  return !key.includes('/') && !key.includes('?');
}

function identifyingQuery(search: string, { ignoreQuery, keepTracking }: QueryRules): string {
  const isTracking = (name: string): boolean => !keepTracking && isTrackingParameter(name);
  const pairs = search
    .slice(1)
    .split('&')
    .map((pair) => ({ pair, name: pair.split('=', 1)[0] ?? '' }))
    .filter(({ pair, name }) => pair !== '' && !isTracking(name) && !SESSION.test(name) && !ignoreQuery.has(name));
  if (pairs.length === 0) return '';
  pairs.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return `?${pairs.map(({ pair }) => pair).join('&')}`;
}
