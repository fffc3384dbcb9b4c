import { messageOf } from '@tidemark/errors';
import { RE2JS, RE2Set } from 're2js';

/** Limits of pattern lists; longer lists are rejected, not cut. */
export const MAX_PATTERNS = 1_000;
export const MAX_PATTERN_CHARS = 2_000;
const MAX_ALL_CHARS = 100_000;
/** Memory limit for the automaton states of a pattern set, bytes. */
const SET_MEMORY = 2 * 1024 * 1024;
const RE_PREFIX = 're:';

/** Matches an address against many patterns in time linear in the address length (RE2). */
export interface UrlPatterns {
  readonly size: number;
  /** Returns the first matching pattern, as configured. */
  match(url: URL): string | undefined;
  /** Returns the indexes of all matching patterns. */
  matchAll(url: URL): readonly number[];
}

const NONE: UrlPatterns = { size: 0, match: () => undefined, matchAll: () => [] };

/** Returns the index of the first invalid pattern and the reason. */
export function faultIn(patterns: readonly string[]): { readonly at: number; readonly reason: string } | undefined {
  if (patterns.length > MAX_PATTERNS) return { at: MAX_PATTERNS, reason: `at most ${MAX_PATTERNS} patterns` };
  let chars = 0;
  for (const [at, pattern] of patterns.entries()) {
    chars += pattern.length;
    if (pattern.trim() === '') return { at, reason: 'the pattern is empty' };
    if (pattern.length > MAX_PATTERN_CHARS) return { at, reason: `at most ${MAX_PATTERN_CHARS} characters` };
    if (chars > MAX_ALL_CHARS) return { at, reason: `all patterns together have at most ${MAX_ALL_CHARS} characters` };
    try {
      RE2JS.compile(toExpression(pattern));
    } catch (error) {
      return { at, reason: messageOf(error) };
    }
  }
  return undefined;
}

/** @throws where `faultIn` finds a fault */
export function compilePatterns(patterns: readonly string[]): UrlPatterns {
  if (patterns.length === 0) return NONE;
  const places = patterns.map((pattern, place) => ({ pattern, place }));
  const byPath = setOf(places.filter(({ pattern }) => !hasOrigin(pattern)));
  const byUrl = setOf(places.filter(({ pattern }) => hasOrigin(pattern)));
  const matched = (url: URL, most: number): readonly number[] => {
    const path = `${url.pathname}${url.search}`;
    const found = byPath(path);
    return found.length >= most ? found : [...found, ...byUrl(`${url.origin}${path}`)];
  };
  return {
    size: patterns.length,
    match: (url) => patterns[matched(url, 1)[0] ?? -1],
    matchAll: (url) => matched(url, patterns.length),
  };
}

/** Returns a function that finds the indexes of the patterns that match a text, in order. */
function setOf(
  patterns: readonly { readonly pattern: string; readonly place: number }[],
): (text: string) => readonly number[] {
  if (patterns.length === 0) return () => [];
  const set = new RE2Set(RE2Set.UNANCHORED, 0, SET_MEMORY);
  for (const { pattern } of patterns) set.add(toExpression(pattern));
  set.compile();
  return (text) => set.match(text).map((at) => patterns[at]?.place ?? -1);
}

const hasOrigin = (pattern: string): boolean => /^https?:\/\//i.test(pattern);

function toExpression(pattern: string): string {
  return pattern.startsWith(RE_PREFIX) ? pattern.slice(RE_PREFIX.length) : globToExpression(pattern);
}

/**
 * Converts a glob over path and query: `*` matches within a segment, `**` across segments, `{a,b}` is an alternative, everything else is literal.
 * A glob that ends in `/*` matches everything beneath; a glob without a query matches any query.
 */
function globToExpression(glob: string): string {
  const anywhere = glob.startsWith('*') ? '' : '/';
  const rooted = glob.startsWith('/') || hasOrigin(glob) ? glob : `${anywhere}${glob}`;
  const open = rooted.endsWith('/*') ? `${rooted}*` : rooted;
  let depth = 0;
  const body = open.replace(/\*\*\/?|\*|[{},]|[^*{},]+/g, (part) => {
    if (part === '**/') return '(?:.*/)?';
    if (part === '**') return '.*';
    if (part === '*') return '[^/?]*';
    if (part === '{') return ++depth > 0 ? '(?:' : '';
    if (part === '}') return depth-- > 0 ? ')' : '\\}';
    if (part === ',') return depth > 0 ? '|' : ',';
    return RE2JS.quote(part);
  });
  const start = glob.startsWith('*') ? '' : '^';
  const query = glob.includes('?') ? '' : '/?(?:\\?.*)?';
  return `${start}${body}${query}$`;
}
