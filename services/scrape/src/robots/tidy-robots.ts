/** A robots.txt in the spelling its parser reads, and where each of its lines stood. */
export interface TidyRobots {
  readonly text: string;
  /** The line of the file that a line of the text comes from, both counted from one. */
  lineOf(line: number): number;
}

/** Google reads as much of a line, and no more. */
const LINE_CHARS = 16_664;
/** Rules with more wildcards than this, all taken together, are made to end at the next one. */
const WILDCARDS = 5_000;

/** Spellings that Google's parser takes for the right ones. */
const SPELLINGS = new Map([
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['site-map', 'sitemap'],
]);

/**
 * Puts a robots.txt into the form robots-parser reads as Google's own parser reads the file: its misspellings, its byte order
 * marks, the product token of a user-agent line, the folder a rule for its index page speaks for; and bounds what matching costs.
 * https://github.com/google/robotstxt/blob/master/robots.cc
 */
export function tidyRobots(body: string): TidyRobots {
  const lines: string[] = [];
  const from: number[] = [];
  const limit = { wildcards: WILDCARDS };
  const file = body.startsWith('\ufeff') ? body.slice(1) : body;
  file.split(/\r\n|\r|\n/).forEach((line, index) => {
    for (const tidied of tidyLine(line.slice(0, LINE_CHARS), limit)) {
      lines.push(tidied);
      from.push(index + 1);
    }
  });
  return { text: lines.join('\n'), lineOf: (line) => from[line - 1] ?? 0 };
}

/** No line, where the parser would ignore it anyway; two where one rule stands for two. */
function tidyLine(line: string, limit: { wildcards: number }): string[] {
  // A byte order mark anywhere but at the start spoils its line; the parser would trim it away.
  if (line.startsWith('\ufeff')) return [];
  const directive = split(line);
  if (directive === undefined) return [];
  const [key, value] = directive;
  // Google takes the product token: `Foo Bar` names Foo.
  if (key === 'user-agent') return [`user-agent: ${value.split(/\s/)[0] ?? ''}`];
  if (key !== 'allow' && key !== 'disallow') return [`${key}: ${value}`];
  const path = bounded(value, limit);
  // A cut pattern matches more: right for a ban, too much for a permission.
  if (path === undefined) return [];
  if (key === 'disallow' || path !== collapsed(value)) return key === 'disallow' ? [`disallow: ${path}`] : [];
  const folder = /^(.*\/)index\.htm[^/]*$/.exec(path)?.[1];
  return folder === undefined ? [`allow: ${path}`] : [`allow: ${path}`, `allow: ${folder}$`];
}

function split(line: string): [key: string, value: string] | undefined {
  const bare = line.split('#', 1)[0]?.trim() ?? '';
  const colon = bare.indexOf(':');
  // Two words without a colon between them are read as if it were there.
  const words = colon < 0 ? bare.split(/\s+/) : [];
  if (colon < 0 && words.length !== 2) return undefined;
  const key = (colon < 0 ? (words[0] ?? '') : bare.slice(0, colon)).trim().toLowerCase();
  const value = (colon < 0 ? (words[1] ?? '') : bare.slice(colon + 1)).trim();
  return key === '' ? undefined : [SPELLINGS.get(key) ?? key, value];
}

const collapsed = (path: string): string => path.replace(/\*{2,}/g, '*');

/** Matching costs a walk over the address for every wildcard, so that a file may have only so many. */
function bounded(value: string, limit: { wildcards: number }): string | undefined {
  const path = collapsed(value);
  if (!path.includes('*')) return path;
  const parts = path.split('*');
  const kept = Math.min(parts.length - 1, limit.wildcards);
  limit.wildcards -= kept;
  return kept === parts.length - 1 ? path : parts.slice(0, kept + 1).join('*');
}
