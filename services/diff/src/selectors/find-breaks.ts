/** How one configured selector did on the pages of one template in one run. */
export interface SelectorStats {
  /** The setting it is configured in, `fields.price` or `scope.select`; selectors of one setting stand in for each other. */
  readonly setting: string;
  readonly selector: string;
  readonly template: string;
  /** Rules pages were read by: figures by other rules are not compared. */
  readonly rules: number;
  /** Pages of the template that were read, and those the selector matched on. */
  readonly pages: number;
  readonly matched: number;
  /** Words of these pages, all together. */
  readonly words: number;
  /** What it found on one of them, for whoever repairs it. */
  readonly lastMatch?: LastMatch;
}

/** Where a selector last found something, and what. */
export interface LastMatch {
  readonly url: string;
  readonly text: string;
  /** Part of the page, as blocks name it, and the nearest heading above. */
  readonly landmark: string;
  readonly section: string;
}

/** A selector that found its place on a template's pages and finds it no more. */
export interface SelectorBreak {
  readonly setting: string;
  readonly selector: string;
  readonly template: string;
  /** Share of the pages it matched on, 0 to 1. */
  readonly shareBefore: number;
  readonly shareAfter: number;
  /** Other selectors of the setting still match on this template: part of what was captured is missing, not all. */
  readonly isPartial: boolean;
  readonly lastMatch?: LastMatch;
}

/** A selector that seems broken, and why that isn't said of it. */
export interface SuppressedBreak {
  readonly setting: string;
  readonly selector: string;
  readonly template: string;
  /** `pages_differ`: the pages say so much more or less that something else has happened; `rules_differ`: they were read by other rules. */
  readonly reason: 'pages_differ' | 'rules_differ';
}

export interface FoundBreaks {
  readonly breaks: readonly SelectorBreak[];
  readonly suppressed: readonly SuppressedBreak[];
}

/** A selector that matched on fewer of the pages was never sure. */
const MIN_WORKING_SHARE = 0.8;
const MAX_BROKEN_SHARE = 0.2;
/** Pages whose words grow or shrink by more are a redesign, a wall or a shell: their selectors are not what broke. */
const MAX_WORDS_CHANGE = 0.5;

/**
 * Selectors that broke between two runs: matched on nearly all pages of a template before, on nearly none now, while the pages say about as
 * much as they did. One statement a template, not one a page.
 */
export function findBreaks(before: readonly SelectorStats[], after: readonly SelectorStats[]): FoundBreaks {
  const later = new Map(after.map((stats) => [keyOf(stats), stats]));
  const breaks: SelectorBreak[] = [];
  const suppressed: SuppressedBreak[] = [];
  for (const old of before) {
    const now = later.get(keyOf(old));
    if (now === undefined || !didMatch(old) || !isBroken(now)) continue;
    const { setting, selector, template } = old;
    const reason = old.rules !== now.rules ? 'rules_differ' : haveSimilarLength(old, now) ? undefined : 'pages_differ';
    if (reason !== undefined) {
      suppressed.push({ setting, selector, template, reason });
      continue;
    }
    breaks.push({
      setting,
      selector,
      template,
      shareBefore: shareOf(old),
      shareAfter: shareOf(now),
      isPartial: after.some((other) => other !== now && isAlternative(other, now) && shareOf(other) > MAX_BROKEN_SHARE),
      ...(old.lastMatch === undefined ? {} : { lastMatch: old.lastMatch }),
    });
  }
  return { breaks, suppressed };
}

const keyOf = ({ setting, selector, template }: SelectorStats): string => [setting, selector, template].join('\n');

const shareOf = ({ matched, pages }: SelectorStats): number => (pages === 0 ? 0 : matched / pages);

const didMatch = (stats: SelectorStats): boolean => stats.pages > 0 && shareOf(stats) >= MIN_WORKING_SHARE;

const isBroken = (stats: SelectorStats): boolean => stats.pages > 0 && shareOf(stats) <= MAX_BROKEN_SHARE;

const isAlternative = (a: SelectorStats, b: SelectorStats): boolean =>
  a.setting === b.setting && a.template === b.template;

function haveSimilarLength(old: SelectorStats, now: SelectorStats): boolean {
  const [before, after] = [old.words / old.pages, now.words / now.pages];
  return after >= before * (1 - MAX_WORDS_CHANGE) && after <= before * (1 + MAX_WORDS_CHANGE);
}

/**
 * The selectors of a list that stand in for each other, so that the loss of one shows: `.a, .b:is(p, q)` are `.a` and `.b:is(p, q)`.
 */
export function partsOfSelector(selector: string): string[] {
  const parts: string[] = [];
  let [part, depth, quote] = ['', 0, ''];
  for (const char of selector) {
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === '(' || char === '[') depth += 1;
    else if (char === ')' || char === ']') depth -= 1;
    if (char === ',' && depth === 0 && quote === '') {
      parts.push(part);
      part = '';
    } else part += char;
  }
  return [...parts, part].map((one) => one.trim()).filter(Boolean);
}
