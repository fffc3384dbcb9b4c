/** A robots.txt in the form that robots-parser expects, with a map to the original lines. */
export interface NormalizedRobots {
  readonly text: string;
  /** Returns the original line of a line of the text, both counted from 1. */
  lineOf(line: number): number;
}

/** Google's parser reads this many characters of a line. */
const LINE_CHARS = 16_664;
/** Limit for the wildcards of all rules together. A rule beyond it ends at its next wildcard. */
const WILDCARDS = 5_000;

/** Misspellings that Google's parser accepts. */
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
 * Normalizes a robots.txt so that robots-parser interprets it as Google's own parser does: misspellings, byte order
 * marks, the product token of a user-agent line, an allowed index page that allows its folder. Limits the cost of
 * matching. https://github.com/google/robotstxt/blob/master/robots.cc
 */
export function normalizeRobots(body: string): NormalizedRobots {
  const lines: string[] = [];
  const from: number[] = [];
  const limit = { wildcards: WILDCARDS };
  const file = body.startsWith('\ufeff') ? body.slice(1) : body;
  file.split(/\r\n|\r|\n/).forEach((line, index) => {
    for (const normalized of normalizeLine(line.slice(0, LINE_CHARS), limit)) {
      lines.push(normalized);
      from.push(index + 1);
    }
  });
  return { text: lines.join('\n'), lineOf: (line) => from[line - 1] ?? 0 };
}

/** Returns no line if the parser would ignore it, and two if one rule stands for two. */
function normalizeLine(line: string, limit: { wildcards: number }): string[] {
  // A byte order mark that is not at the start invalidates its line. The parser would trim it.
  if (line.startsWith('\ufeff')) return [];
  const directive = split(line);
  if (directive === undefined) return [];
  const [key, value] = directive;
  // Google's parser reads the product token only: `Foo Bar` names Foo.
  if (key === 'user-agent') return [`user-agent: ${value.split(/\s/)[0] ?? ''}`];
  if (key !== 'allow' && key !== 'disallow') return [`${key}: ${value}`];
  const path = bounded(value, limit);
  // A shortened pattern matches more URLs. This is acceptable for disallow, but not for allow.
  if (path === undefined) return [];
  if (key === 'disallow' || path !== collapsed(value)) return key === 'disallow' ? [`disallow: ${path}`] : [];
  const folder = /^(.*\/)index\.htm[^/]*$/.exec(path)?.[1];
  return folder === undefined ? [`allow: ${path}`] : [`allow: ${path}`, `allow: ${folder}$`];
}

function split(line: string): [key: string, value: string] | undefined {
  const bare = line.split('#', 1)[0]?.trim() ?? '';
  const colon = bare.indexOf(':');
  // Two words without a colon are read as if it were there.
  const words = colon < 0 ? bare.split(/\s+/) : [];
  if (colon < 0 && words.length !== 2) return undefined;
  const key = (colon < 0 ? (words[0] ?? '') : bare.slice(0, colon)).trim().toLowerCase();
  const value = (colon < 0 ? (words[1] ?? '') : bare.slice(colon + 1)).trim();
  return key === '' ? undefined : [SPELLINGS.get(key) ?? key, value];
}

const collapsed = (path: string): string => path.replace(/\*{2,}/g, '*');

/** Limits wildcards, because matching scans the URL once per wildcard. */
function bounded(value: string, limit: { wildcards: number }): string | undefined {
  const path = collapsed(value);
  if (!path.includes('*')) return path;
  const parts = path.split('*');
  const kept = Math.min(parts.length - 1, limit.wildcards);
  limit.wildcards -= kept;
  return kept === parts.length - 1 ? path : parts.slice(0, kept + 1).join('*');
}
