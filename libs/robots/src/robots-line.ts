/** A line of robots.txt that means something. */
export interface RobotsLine {
  readonly key: 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap';
  readonly value: string;
  /** Counted from 1. */
  readonly number: number;
}

/** Google's parser reads this many bytes of a line; here they are characters. */
const LINE_CHARS = 16_664;

/** Keys by their beginnings, with the misspellings that Google's parser accepts. A longer key with such a beginning is read too. */
const KEYS: readonly (readonly [beginning: string, key: RobotsLine['key']])[] = [
  ['user-agent', 'user-agent'],
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['allow', 'allow'],
  ['disallow', 'disallow'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['crawl-delay', 'crawl-delay'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
];

/**
 * Splits a robots.txt into its lines as tolerantly as Google's parser (https://github.com/google/robotstxt): any line end, comments,
 * a byte order mark at the start, misspelt keys, a missing colon between two words. Lines of other keys are left out.
 */
export function splitLines(text: string): RobotsLine[] {
  const file = text.startsWith('\ufeff') ? text.slice(1) : text;
  return file.split(/\r\n|\r|\n/).flatMap((line, index) => readLine(line.slice(0, LINE_CHARS), index + 1) ?? []);
}

function readLine(line: string, number: number): RobotsLine | undefined {
  const bare = trim(withoutComment(line));
  const split = /^([^:]*):(.*)$/s.exec(bare) ?? /^(\S+)\s+(\S+)$/.exec(bare);
  if (split === null) return undefined;
  const name = trim(split[1] ?? '').toLowerCase();
  const found = KEYS.find(([beginning]) => name.startsWith(beginning));
  return found && { key: found[1], value: trim(split[2] ?? ''), number };
}

function withoutComment(line: string): string {
  const at = line.indexOf('#');
  return at < 0 ? line : line.slice(0, at);
}

/** Removes spaces and tabs. `String.trim` would remove a byte order mark too, which invalidates a line inside the file. */
const trim = (text: string): string => text.replace(/^[ \t\v\f]+|[ \t\v\f]+$/g, '');
