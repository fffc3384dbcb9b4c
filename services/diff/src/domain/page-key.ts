import { createHash } from 'node:crypto';
import { normalizeUrl } from '@tidemark/web-url';

/** Parameters that say where a visitor came from, never which page it is. */
const TRACKING =
  /^(?:utm_\w+|gclid|gbraid|wbraid|dclid|fbclid|msclkid|yclid|twclid|igshid|ref_src|mc_[ce]id|_ga|_gl|_hs(?:enc|mi))$/i;
/** Parameters that name a visitor's session (as EDGI's list has them). */
const SESSION = /^(?:jsessionid|phpsessid|aspsessionid\w*|sessionid|session_id|sid|cfid|cftoken)$/i;
/** Sessions written into the path: `;jsessionid=…` and ASP.NET's `/(S(…))/`. */
const SESSION_IN_PATH = /;(?:jsessionid|phpsessid|sid)=[^/;]*|\/\([A-Z]\([\w-]*\)\)(?=\/|$)/gi;

/** A key is looked up by an index, whose entries are small. */
const MAX_KEY_CHARS = 1_500;
const KEPT_CHARS = 1_200;

/**
 * The key under which two runs mean the same page: host, path and kept query, without scheme, default port, fragment or trailing
 * slash. Query pairs are sorted, those of one name keep their order. ASCII, so that bytes and strings sort alike.
 */
export function pageKey(url: string, ignoreQuery: ReadonlySet<string> = new Set()): string {
  const parsed = URL.parse(url);
  if (parsed === null) return bounded(encodeURI(url.toWellFormed()));
  const { host, pathname, search } = new URL(normalizeUrl(parsed));
  const path = pathname.replace(SESSION_IN_PATH, '').replace(/\/+$/, '');
  return bounded(`${host}${path}${keptQuery(search, ignoreQuery)}`);
}

/** A key that is too long goes on as its hash. */
function bounded(key: string): string {
  if (key.length <= MAX_KEY_CHARS) return key;
  return `${key.slice(0, KEPT_CHARS)}~${createHash('sha256').update(key).digest('hex')}`;
}

/** The first segment of the page's path with its host: pages that share it are taken for pages of one part of the site. */
export function folderOf(key: string): string {
  const [address = ''] = key.split('?', 1);
  const [host = '', first = '', ...deeper] = address.split('/');
  return deeper.length === 0 ? host : `${host}/${first}`;
}

/** Whether the key is that of a host's front page. */
export function isFrontPage(key: string): boolean {
  return !key.includes('/') && !key.includes('?');
}

function keptQuery(search: string, ignoreQuery: ReadonlySet<string>): string {
  const kept = search
    .slice(1)
    .split('&')
    .map((pair) => ({ pair, name: pair.split('=', 1)[0] ?? '' }))
    .filter(({ pair, name }) => pair !== '' && !TRACKING.test(name) && !SESSION.test(name) && !ignoreQuery.has(name));
  if (kept.length === 0) return '';
  kept.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return `?${kept.map(({ pair }) => pair).join('&')}`;
}
