/** Addresses of one pattern after which it is looked at closely. */
const SUSPICIOUS_AT = 500;
/** The same where only numbers in the path differ and its pages lie no deeper than those of sites do: whole sites are built so. */
const SUSPICIOUS_NUMERIC_AT = 20_000;
const USUAL_DEPTH = 20;
/** Pages of it that must have been read by then, so that something is known of them. */
const MIN_READ = 100;
/** From here on it is counted how many links to their like its pages have. */
const COUNT_LINKS_FROM = 200;
/** Share of these links that are news. Pages of a site that ends name each other again and again. */
const NEW_SHARE = 0.3;
/** Share of its addresses that only pages like it have named, and how many others a page of it brings at most. */
const SELF_LINKED_SHARE = 0.9;
const OTHERS_PER_PAGE = 0.02;
const MAX_REPEATED_SEGMENT = 3;
const MAX_REPEATED_PARAMETER = 3;
const MAX_SEGMENTS = 40;
const MAX_PARAMETERS = 24;
/** Before it there was no web; calendars go on for ever, real dates a little. */
const FIRST_YEAR = 1990;
const YEARS_AHEAD = 10;
/** Patterns kept in mind for one run. */
const MAX_PATTERNS = 5_000;
/** Patterns a run reports. */
export const MAX_TRAPS = 100;

/** A year where dates stand in addresses: /2024/05, /2024-05-12, ?year=2024, ?date=2024-05. */
const YEAR =
  /(?:^|[/=&?_-])((?:1[0-9]|2[0-9]|3[0-9])\d\d)(?=[-/]\d{1,2}(?:[-/&?]|$))|[?&](?:year|y|jahr|annee)=(\d{4})(?=&|$)/gi;

export interface Trap {
  readonly pattern: string;
  readonly addresses: number;
  readonly why: string;
}

/** Why an address by itself looks like one of endlessly many; undefined where it doesn't. */
export function trapIn(url: string, nowYear: number): string | undefined {
  const path = url.slice(url.indexOf('/', 8));
  const [pathname = '', query = ''] = path.split('?', 2);
  const segments = pathname.split('/').filter((segment) => segment !== '');
  if (segments.length > MAX_SEGMENTS) return 'more path segments than pages have';
  if (maxRepeats(segments) > MAX_REPEATED_SEGMENT) return 'a path segment repeats itself';
  if (query !== '') {
    const names = query.split('&').map((pair) => pair.split('=', 1)[0] ?? '');
    if (names.length > MAX_PARAMETERS) return 'more parameters than pages have';
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

/** The pattern an address is one of many of: numbers (#) and codes (*) folded, the values of parameters left out. */
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

/** Whether addresses of a pattern can be many at all. */
const isFolded = (pattern: string): boolean => /[#?*]/.test(pattern);

interface Tally {
  addresses: number;
  /** Of them, those that a page of the same pattern named. */
  selfLinked: number;
  /** Links to its like on its pages since it is watched, and how many of these were news. */
  sameLinks: number;
  newLinks: number;
  read: number;
  /** Addresses of other patterns that its pages named first. */
  otherFirst: number;
}

/**
 * Tells patterns that only breed themselves (a calendar's next month, a session in every link) from long lists of real pages: of the
 * former, pages bring nothing new but their like. Remembers a bounded number of patterns of one run.
 */
export class TrapDetector {
  readonly #tallies = new Map<string, Tally>();
  readonly #reasons = new Map<string, { addresses: number; why: string }>();

  readonly #logged: Set<string>;

  /** `told`: what the run has reported before, which stays cut. */
  constructor(reported: readonly Trap[] = []) {
    for (const { pattern, addresses, why } of reported) this.#reasons.set(pattern, { addresses, why });
    this.#logged = new Set(this.#reasons.keys());
  }

  #cuts = 0;

  /** Addresses cut so far by this process. */
  get cuts(): number {
    return this.#cuts;
  }

  /** Why an address that a page named is not followed; undefined where it may be. */
  refuse({ url, depth }: { readonly url: string; readonly depth: number }, nowYear: number): string | undefined {
    const pattern = patternOf(url);
    const why = trapIn(url, nowYear) ?? this.#selfGenerated(pattern, depth);
    if (why === undefined) return undefined;
    this.#cut(pattern, 1, why);
    return why;
  }

  /** Notes addresses that found no room any more. */
  overflow(addresses: number): void {
    this.#cut('*', addresses, 'more addresses than the page limit gives room for');
  }

  #cut(pattern: string, addresses: number, why: string): void {
    this.#cuts += addresses;
    const known = this.#reasons.get(pattern);
    if (known !== undefined) known.addresses += addresses;
    else if (this.#reasons.size < MAX_TRAPS) this.#reasons.set(pattern, { addresses, why });
  }

  #selfGenerated(pattern: string, depth: number): string | undefined {
    if (!isFolded(pattern)) return undefined;
    const tally = this.#tallies.get(pattern);
    const isNumeric = !pattern.includes('?') && !pattern.includes('*') && depth <= USUAL_DEPTH;
    const most = isNumeric ? SUSPICIOUS_NUMERIC_AT : SUSPICIOUS_AT;
    if (tally === undefined || tally.addresses < most || tally.read < MIN_READ) return undefined;
    const isSelfLinked = tally.selfLinked >= tally.addresses * SELF_LINKED_SHARE;
    const isClosed = tally.otherFirst <= tally.read * OTHERS_PER_PAGE;
    const isAlwaysNew = tally.newLinks >= tally.sameLinks * NEW_SHARE;
    return isSelfLinked && isClosed && isAlwaysNew
      ? `${tally.addresses} addresses of this pattern led only to more of it`
      : undefined;
  }

  /** Notes a page that ended, the addresses in scope that it names, and those of them that it was the first to name. */
  note(pageUrl: string, named: readonly string[], firstNamed: readonly string[]): void {
    const own = patternOf(pageUrl);
    const mine = this.#tally(own);
    let ownFirst = 0;
    for (const url of firstNamed) {
      const pattern = patternOf(url);
      const tally = this.#tally(pattern);
      if (tally !== undefined) tally.addresses += 1;
      if (pattern !== own && mine !== undefined) mine.otherFirst += 1;
      else if (pattern === own) ownFirst += 1;
    }
    if (mine === undefined) return;
    mine.read += 1;
    mine.selfLinked += ownFirst;
    if (mine.addresses < COUNT_LINKS_FROM) return;
    mine.newLinks += ownFirst;
    mine.sameLinks += named.filter((url) => patternOf(url) === own).length;
  }

  #tally(pattern: string): Tally | undefined {
    if (!isFolded(pattern)) return undefined;
    const known = this.#tallies.get(pattern);
    if (known !== undefined) return known;
    if (this.#tallies.size >= MAX_PATTERNS) {
      for (const [old, { addresses }] of this.#tallies) {
        // A pattern that has come to nothing makes room.
        if (addresses < 3) this.#tallies.delete(old);
        if (this.#tallies.size < MAX_PATTERNS * 0.8) break;
      }
      if (this.#tallies.size >= MAX_PATTERNS) return undefined;
    }
    const fresh: Tally = { addresses: 0, selfLinked: 0, sameLinks: 0, newLinks: 0, read: 0, otherFirst: 0 };
    this.#tallies.set(pattern, fresh);
    return fresh;
  }

  /** What was cut so far. */
  reported(): Trap[] {
    return [...this.#reasons].map(([pattern, { addresses, why }]) => ({ pattern, addresses, why }));
  }
  /** What was cut and has not been noted in the run's log. */
  unreported(): Trap[] {
    if (this.#logged.size === this.#reasons.size) return [];
    return this.reported().filter(({ pattern }) => !this.#logged.has(pattern));
  }

  /** These stand in the run's log. */
  markLogged(traps: readonly Trap[]): void {
    for (const { pattern } of traps) this.#logged.add(pattern);
  }
}
