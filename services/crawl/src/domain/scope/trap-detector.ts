/** URLs of one pattern from which it is checked for a trap. */
const SUSPICIOUS_AT = 500;
/** The same if only numbers in the path differ and the depth is usual: many sites use such URLs throughout. */
const SUSPICIOUS_NUMERIC_AT = 20_000;
const USUAL_DEPTH = 20;
/** Pages of the pattern that must have been fetched before it is classified. */
const MIN_READ = 100;
/** URLs of one pattern from which links to the same pattern are counted. */
const COUNT_LINKS_FROM = 200;
/** Minimum share of these links that are new in a trap. Pages of a finite site link to each other repeatedly. */
const NEW_SHARE = 0.3;
/** Minimum share of a trap's URLs found on its own pages, and maximum number of other new URLs per page. */
const SELF_LINKED_SHARE = 0.9;
const OTHERS_PER_PAGE = 0.02;
const MAX_REPEATED_SEGMENT = 3;
const MAX_REPEATED_PARAMETER = 3;
const MAX_SEGMENTS = 40;
const MAX_PARAMETERS = 24;
/** Years in URLs outside this range indicate an endless calendar. */
const FIRST_YEAR = 1990;
const YEARS_AHEAD = 10;
/** Patterns tracked per run. */
const MAX_PATTERNS = 5_000;

/** A year in a date within a URL: /2024/05, /2024-05-12, ?year=2024, ?date=2024-05. */
const YEAR =
  /(?:^|[/=&?_-])((?:1[0-9]|2[0-9]|3[0-9])\d\d)(?=[-/]\d{1,2}(?:[-/&?]|$))|[?&](?:year|y|jahr|annee)=(\d{4})(?=&|$)/gi;

/** A pattern of URLs that a run does not follow any further. */
export interface Trap {
  readonly pattern: string;
  readonly urls: number;
  readonly why: string;
}

/** Returns why a URL by itself looks like a trap; undefined if it does not. */
export function trapIn(url: string, nowYear: number): string | undefined {
  const path = url.slice(url.indexOf('/', 8));
  const [pathname = '', query = ''] = path.split('?', 2);
  const segments = pathname.split('/').filter((segment) => segment !== '');
  if (segments.length > MAX_SEGMENTS) return 'too many path segments';
  if (maxRepeats(segments) > MAX_REPEATED_SEGMENT) return 'a path segment repeats itself';
  if (query !== '') {
    const names = query.split('&').map((pair) => pair.split('=', 1)[0] ?? '');
    if (names.length > MAX_PARAMETERS) return 'too many parameters';
    if (maxRepeats(names) > MAX_REPEATED_PARAMETER) return 'a parameter repeats itself';
  }
  for (const [, inPath, inQuery] of path.matchAll(YEAR)) {
    const year = Number(inPath ?? inQuery);
    if (year < FIRST_YEAR || year > nowYear + YEARS_AHEAD)
      return `a calendar outside ${FIRST_YEAR} to ${nowYear + YEARS_AHEAD}`;
  }
  return undefined;
}

function maxRepeats(words: readonly string[]): number {
  if (words.length <= MAX_REPEATED_SEGMENT) return 0;
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Math.max(...counts.values());
}

/** Returns the pattern of a URL: numbers (#) and hexadecimal codes (*) folded, parameter values removed. */
export function patternOf(url: string): string {
  const at = url.indexOf('?');
  const path = at === -1 ? url : url.slice(0, at);
  const folded = path
    .slice(path.indexOf('/', 8))
    .replace(/[0-9a-f]{16,}|\d+/gi, (part) => (part.length < 16 ? '#' : '*'));
  if (at === -1) return folded;
  const names = url.slice(at + 1).split('&');
  const named = names.map((pair) => pair.split('=', 1)[0] ?? '').sort();
  return `${folded}?${named.join('&')}`;
}

/** Whether a pattern can have many URLs. */
const isFolded = (pattern: string): boolean => /[#?*]/.test(pattern);

interface Tally {
  urls: number;
  /** Of them, those first found on a page of the same pattern. */
  selfLinked: number;
  /** Links to the same pattern on its pages since COUNT_LINKS_FROM, and those of them that were new. */
  sameLinks: number;
  newLinks: number;
  read: number;
  /** URLs of other patterns first found on its pages. */
  otherFirst: number;
}

/**
 * Detects crawler traps: patterns whose pages link to new URLs of the same pattern only, such as the next month of a calendar or a session
 * id in every link. Tracks a bounded number of patterns of one run. Contains only what committed page results have shown.
 */
export class TrapDetector {
  readonly #tallies = new Map<string, Tally>();

  /** Returns the trap that a URL belongs to; undefined if it is followed. */
  trapOf(
    { url, depth }: { readonly url: string; readonly depth: number },
    nowYear: number,
  ): { readonly pattern: string; readonly why: string } | undefined {
    const pattern = patternOf(url);
    const why = trapIn(url, nowYear) ?? this.#selfGenerated(pattern, depth);
    return why === undefined ? undefined : { pattern, why };
  }

  #selfGenerated(pattern: string, depth: number): string | undefined {
    if (!isFolded(pattern)) return undefined;
    const tally = this.#tallies.get(pattern);
    const isNumeric = !pattern.includes('?') && !pattern.includes('*') && depth <= USUAL_DEPTH;
    const most = isNumeric ? SUSPICIOUS_NUMERIC_AT : SUSPICIOUS_AT;
    if (tally === undefined || tally.urls < most || tally.read < MIN_READ) return undefined;
    const isSelfLinked = tally.selfLinked >= tally.urls * SELF_LINKED_SHARE;
    const isClosed = tally.otherFirst <= tally.read * OTHERS_PER_PAGE;
    const isAlwaysNew = tally.newLinks >= tally.sameLinks * NEW_SHARE;
    return isSelfLinked && isClosed && isAlwaysNew
      ? `${tally.urls} URLs of this pattern led only to more of it`
      : undefined;
  }

  /** Records a page that ended, the URLs in scope that it links to, and those of them that are new. */
  note(pageUrl: string, named: readonly string[], firstNamed: readonly string[]): void {
    const own = patternOf(pageUrl);
    const mine = this.#tally(own);
    let ownFirst = 0;
    for (const url of firstNamed) {
      const pattern = patternOf(url);
      const tally = this.#tally(pattern);
      if (tally !== undefined) tally.urls += 1;
      if (pattern !== own && mine !== undefined) mine.otherFirst += 1;
      else if (pattern === own) ownFirst += 1;
    }
    if (mine === undefined) return;
    mine.read += 1;
    mine.selfLinked += ownFirst;
    if (mine.urls < COUNT_LINKS_FROM) return;
    mine.newLinks += ownFirst;
    mine.sameLinks += named.filter((url) => patternOf(url) === own).length;
  }

  #tally(pattern: string): Tally | undefined {
    if (!isFolded(pattern)) return undefined;
    const known = this.#tallies.get(pattern);
    if (known !== undefined) return known;
    if (this.#tallies.size >= MAX_PATTERNS) {
      for (const [old, { urls }] of this.#tallies) {
        // Rare patterns are evicted first.
        if (urls < 3) this.#tallies.delete(old);
        if (this.#tallies.size < MAX_PATTERNS * 0.8) break;
      }
      if (this.#tallies.size >= MAX_PATTERNS) return undefined;
    }
    const fresh: Tally = { urls: 0, selfLinked: 0, sameLinks: 0, newLinks: 0, read: 0, otherFirst: 0 };
    this.#tallies.set(pattern, fresh);
    return fresh;
  }
}
