import { refuseOption } from './refusal.ts';
import { fieldOf, flagAt, type Settings } from './translate.ts';

/** Key of a translated crawl until its scope is known. */
const ENTIRE_DOMAIN = 'crawlEntireDomain';

/** Read by `withinPath`: it depends on the start URL. */
export const entireDomain = fieldOf(
  'true: no limit; otherwise `includePaths` with the path of the start URL, below which a crawl of Firecrawl stays',
  (value, name) => (flagAt(value, name) ? { request: { [ENTIRE_DOMAIN]: true } } : {}),
);

const escapeRe2 = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Returns whether an expression is a list of alternatives outside of groups: only the first one has its beginning. */
function isAlternation(expression: string): boolean {
  let rest = expression.replace(/\\./g, '').replace(/\[[^\]]*\]/g, '');
  for (let before = ''; before !== rest; ) {
    before = rest;
    rest = rest.replace(/\([^()]*\)/g, '');
  }
  return rest.includes('|');
}

/**
 * Limits a crawl to the path of its start URL, as Firecrawl does. All patterns are alternatives here, so other patterns must begin with that path.
 * @throws Refusal if they do not
 */
export function withinPath({ [ENTIRE_DOMAIN]: isEntire, ...request }: Settings): Settings {
  const { url, includePaths } = request;
  const path = typeof url === 'string' && URL.canParse(url) ? new URL(url).pathname : '/';
  if (isEntire === true || path === '/') return request;
  const prefix = `re:^${escapeRe2(path)}`;
  const patterns = Array.isArray(includePaths) ? includePaths.map(String) : [];
  if (patterns.length === 0) return { ...request, includePaths: [prefix] };
  const starts = [prefix, `re:^${path}`];
  const isBelow = (pattern: string): boolean =>
    !isAlternation(pattern) && starts.some((start) => pattern.startsWith(start));
  const outside = patterns.findIndex((pattern) => !isBelow(pattern));
  if (outside === -1) return request;
  refuseOption(
    `includePaths[${outside}] outside the path of the start URL`,
    `begin it with ^${path.slice(0, 200)}, or send crawlEntireDomain: true`,
  );
}
