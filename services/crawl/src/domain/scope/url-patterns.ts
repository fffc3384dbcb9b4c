import { hash } from 'node:crypto';
import { AppError, messageOf } from '@tidemark/errors';
import { RE2JS } from 're2js';
import { CompiledPatterns, InvalidExpression } from './compiled-patterns.ts';
import { expressionSize } from './expression-size.ts';

/** Limits of pattern lists; longer lists are rejected, not cut. */
export const MAX_PATTERNS = 1_000;
export const MAX_PATTERN_CHARS = 2_000;
const MAX_ALL_CHARS = 100_000;
/** Instructions of all patterns of a list. 200 globs of 40 characters have about 10,000; at the limit, compilation takes about 0.1 s of CPU and 7 MB. */
export const MAX_LIST_SIZE = 30_000;
/** Memory of all compiled lists of this process, bytes. */
const MAX_COMPILED_BYTES = 64 * 1024 * 1024;
const RE_PREFIX = 're:';

const compiled = new CompiledPatterns(MAX_COMPILED_BYTES);

/** Matches a URL against many patterns in time linear in the URL length (RE2). */
export interface UrlPatterns {
  readonly size: number;
  /** Returns the first matching pattern, as configured. */
  match(url: URL): string | undefined;
  /** Returns the indexes of all matching patterns. */
  matchAll(url: URL): readonly number[];
}

/** The index of an invalid pattern and the reason. */
export interface PatternFault {
  readonly at: number;
  readonly reason: string;
}

const NONE: UrlPatterns = { size: 0, match: () => undefined, matchAll: () => [] };

/** Returns the index of the first invalid pattern and the reason. Compiles a list only if its size is within the limit. */
export function faultIn(patterns: readonly string[]): PatternFault | undefined {
  const fault = textFault(patterns) ?? sizeFault(patterns);
  if (fault !== undefined || patterns.length === 0) return fault;
  for (const part of partsOf(patterns)) {
    try {
      part.match();
    } catch (error) {
      if (error instanceof InvalidExpression) return { at: part.places[error.at] ?? 0, reason: messageOf(error) };
      throw error;
    }
  }
  return undefined;
}

function textFault(patterns: readonly string[]): PatternFault | undefined {
  if (patterns.length > MAX_PATTERNS) return { at: MAX_PATTERNS, reason: `at most ${MAX_PATTERNS} patterns` };
  let chars = 0;
  for (const [at, pattern] of patterns.entries()) {
    chars += pattern.length;
    if (pattern.trim() === '') return { at, reason: 'the pattern is empty' };
    if (pattern.length > MAX_PATTERN_CHARS) return { at, reason: `at most ${MAX_PATTERN_CHARS} characters` };
    if (chars > MAX_ALL_CHARS) return { at, reason: `all patterns together have at most ${MAX_ALL_CHARS} characters` };
  }
  return undefined;
}

/** Names the largest pattern of a list that is too large. */
function sizeFault(patterns: readonly string[]): PatternFault | undefined {
  const sizes = patterns.map((pattern) => Math.ceil(expressionSize(toExpression(pattern))));
  const sum = sumOf(sizes);
  if (sum <= MAX_LIST_SIZE) return undefined;
  const largest = sizes.reduce((most, size) => Math.max(most, size), 0);
  const [own, all] = [largest, sum].map((size) => size.toLocaleString('en'));
  const limit = MAX_LIST_SIZE.toLocaleString('en');
  const reason = `it has ${own} instructions when compiled, and the list has ${all}, but at most ${limit} are allowed; use lower repetition counts or fewer patterns`;
  return { at: sizes.indexOf(largest), reason };
}

const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

/** Returns the matcher of a list. Equal lists share one automaton in this process. @throws AppError validation where `faultIn` finds a fault */
export function compilePatterns(patterns: readonly string[]): UrlPatterns {
  if (patterns.length === 0) return NONE;
  const fault = textFault(patterns) ?? sizeFault(patterns);
  if (fault !== undefined) throw new AppError('validation', `pattern ${fault.at + 1} can't be used: ${fault.reason}`);
  const parts = partsOf(patterns);
  const byPath = parts.filter(({ isOfOrigin }) => !isOfOrigin);
  const byUrl = parts.filter(({ isOfOrigin }) => isOfOrigin);
  for (const part of parts) part.match();
  const found = (some: readonly Part[], text: string): readonly number[] =>
    some.flatMap(({ places, match }) => match()(text).map((at) => places[at] ?? -1));
  const matched = (url: URL, most: number): readonly number[] => {
    const path = `${url.pathname}${url.search}`;
    const first = found(byPath, path);
    return first.length >= most || byUrl.length === 0 ? first : [...first, ...found(byUrl, `${url.origin}${path}`)];
  };
  return {
    size: patterns.length,
    match: (url) => patterns[matched(url, 1)[0] ?? -1],
    matchAll: (url) => matched(url, patterns.length),
  };
}

/** The patterns of a list that are matched against the same text: the path with the query, or the whole URL. */
interface Part {
  readonly isOfOrigin: boolean;
  /** Indexes in the list. */
  readonly places: readonly number[];
  /** Returns the automaton, which is compiled if it is not in memory. @throws InvalidExpression */
  readonly match: () => (text: string) => readonly number[];
}

function partsOf(patterns: readonly string[]): Part[] {
  return [false, true].flatMap((isOfOrigin) => {
    const places = [...patterns.keys()].filter((at) => hasOrigin(patterns[at] ?? '') === isOfOrigin);
    if (places.length === 0) return [];
    const expressions = places.map((at) => toExpression(patterns[at] ?? ''));
    const key = hash('sha256', JSON.stringify(expressions));
    const size = sumOf(expressions.map(expressionSize));
    return [{ isOfOrigin, places, match: () => compiled.get(key, expressions, size) }];
  });
}

const hasOrigin = (pattern: string): boolean => /^https?:\/\//i.test(pattern);
function toExpression(pattern: string): string {
  return pattern.startsWith(RE_PREFIX) ? pattern.slice(RE_PREFIX.length) : globToExpression(pattern);
}

const GLOB_PARTS = /\*\*\/?|\*|[{},]|[^*{},]+/g;
const WILDCARDS: ReadonlyMap<string, string> = new Map([
  ['**/', '(?:.*/)?'],
  ['**', '.*'],
  ['*', '[^/?]*'],
]);
/** `{`, `}` and `,` as parts of an alternative, and as literals elsewhere. */
const OF_ALTERNATIVE: ReadonlyMap<string, string> = new Map([
  ['{', '(?:'],
  ['}', ')'],
  [',', '|'],
]);
const OUTSIDE_ALTERNATIVE: ReadonlyMap<string, string> = new Map([
  ['{', ''],
  ['}', '\\}'],
  [',', ','],
]);

/**
 * Converts a glob over path and query: `*` matches within a segment, `**` across segments, `{a,b}` is an alternative, everything else is literal.
 * A glob without a query matches any query.
 */
function globToExpression(glob: string): string {
  const anywhere = glob.startsWith('*') ? '' : '/';
  const rooted = glob.startsWith('/') || hasOrigin(glob) ? glob : `${anywhere}${glob}`;
  let depth = 0;
  const body = rooted.replace(GLOB_PARTS, (part) => {
    if (part === '{') depth += 1;
    const punctuation = depth > 0 ? OF_ALTERNATIVE : OUTSIDE_ALTERNATIVE;
    if (part === '}') depth -= 1;
    return WILDCARDS.get(part) ?? punctuation.get(part) ?? RE2JS.quote(part);
  });
  const start = glob.startsWith('*') ? '' : '^';
  const query = glob.includes('?') ? '' : '/?(?:\\?.*)?';
  return `${start}${body}${query}$`;
}
