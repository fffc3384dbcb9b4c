/** Matches of one configured selector on the pages of one template in one run. */
export interface SelectorStats {
  /** The setting, such as `fields.price`. Selectors of one setting are alternatives. */
  readonly setting: string;
  readonly selector: string;
  readonly template: string;
  /** Version of the reading rules; statistics of different versions are not compared. */
  readonly rules: number;
  /** Pages of the template that were read, and those the selector matched on. */
  readonly pages: number;
  readonly matched: number;
  /** Total words of these pages. */
  readonly words: number;
  /** The pages that it matched on, if they are few. */
  readonly matchedPages?: readonly SelectorPage[];
  /** Of the pages that it matched on in the baseline, those that were read and that it does not match on any more. */
  readonly lostPages?: readonly SelectorPage[];
  /** A sample match, for repairing the selector. */
  readonly lastMatch?: LastMatch;
}

export interface SelectorPage {
  readonly pageKey: string;
  readonly words: number;
}

/** Where a selector last matched, and the text. */
export interface LastMatch {
  readonly url: string;
  readonly text: string;
  /** Landmark and nearest preceding heading. */
  readonly landmark: string;
  readonly section: string;
}

/** A selector that matched on a template's pages and no longer does. */
export interface SelectorBreak {
  readonly setting: string;
  readonly selector: string;
  readonly template: string;
  /** Share of the pages it matched on, 0 to 1. */
  readonly shareBefore: number;
  readonly shareAfter: number;
  /** Other selectors of the setting still match on this template. */
  readonly isPartial: boolean;
  readonly lastMatch?: LastMatch;
}

/** A break that is not reported, with the reason. */
export interface SuppressedBreak {
  readonly setting: string;
  readonly selector: string;
  readonly template: string;
  /** `pages_differ`: the amount of text changed too much; `rules_differ`: the pages were read by other rules. */
  readonly reason: 'pages_differ' | 'rules_differ';
}

export interface FoundBreaks {
  readonly breaks: readonly SelectorBreak[];
  readonly suppressed: readonly SuppressedBreak[];
}

/** Selectors below this share before were never reliable. */
const MIN_WORKING_SHARE = 0.8;
const MAX_BROKEN_SHARE = 0.2;
/** A larger change of words indicates a redesign, a block page or an app shell rather than a broken selector. */
const MAX_WORDS_CHANGE = 0.5;

/**
 * Finds selectors that broke between two runs: they matched on nearly all pages of a template and now on nearly none,
 * while the amount of text is similar. One result per template.
 */
export function findBreaks(before: readonly SelectorStats[], after: readonly SelectorStats[]): FoundBreaks {
  const later = new Map(after.map((stats) => [keyOf(stats), stats]));
  const breaks: SelectorBreak[] = [];
  const suppressed: SuppressedBreak[] = [];
  for (const old of before) {
    const now = later.get(keyOf(old));
    if (now === undefined || !isBroken(now)) continue;
    if (!didMatch(old)) {
      breaks.push(...brokenOnItsPages(old, now));
      continue;
    }
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

/**
 * Returns the break of a selector that is meant for a few pages of a folder and matches on none of them any more, although all were
 * read with a similar amount of text. The template is then the first of these pages.
 */
function brokenOnItsPages(old: SelectorStats, now: SelectorStats): SelectorBreak[] {
  const { setting, selector, matchedPages = [], rules, lastMatch } = old;
  const [first] = matchedPages;
  const lost = new Map(now.lostPages?.map(({ pageKey, words }) => [pageKey, words]));
  const isLost = ({ pageKey, words }: SelectorPage): boolean => isSimilarLength(words, lost.get(pageKey) ?? -1);
  if (first === undefined || rules !== now.rules || now.matched > 0 || !matchedPages.every(isLost)) return [];
  return [
    {
      setting,
      selector,
      template: first.pageKey,
      shareBefore: 1,
      shareAfter: 0,
      isPartial: false,
      ...(lastMatch === undefined ? {} : { lastMatch }),
    },
  ];
}

const keyOf = ({ setting, selector, template }: SelectorStats): string => [setting, selector, template].join('\n');

const shareOf = ({ matched, pages }: SelectorStats): number => (pages === 0 ? 0 : matched / pages);

const didMatch = (stats: SelectorStats): boolean => stats.pages > 0 && shareOf(stats) >= MIN_WORKING_SHARE;

const isBroken = (stats: SelectorStats): boolean => stats.pages > 0 && shareOf(stats) <= MAX_BROKEN_SHARE;

const isAlternative = (a: SelectorStats, b: SelectorStats): boolean =>
  a.setting === b.setting && a.template === b.template;

function haveSimilarLength(old: SelectorStats, now: SelectorStats): boolean {
  const [before, after] = [old.words / old.pages, now.words / now.pages];
  return isSimilarLength(before, after);
}

const isSimilarLength = (before: number, after: number): boolean =>
  after >= before * (1 - MAX_WORDS_CHANGE) && after <= before * (1 + MAX_WORDS_CHANGE);

/** Change of the nesting depth at a bracket of a selector. */
const BRACKETS: ReadonlyMap<string, number> = new Map([
  ['(', 1],
  ['[', 1],
  [')', -1],
  [']', -1],
]);

/**
 * Splits a selector list into its alternatives, so that the loss of one is visible: `.a, .b:is(p, q)` gives `.a` and
 * `.b:is(p, q)`.
 */
export function partsOfSelector(selector: string): string[] {
  const parts: string[] = [];
  let [part, depth, quote] = ['', 0, ''];
  for (const char of selector) {
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else depth += BRACKETS.get(char) ?? 0;
    if (char === ',' && depth === 0 && quote === '') {
      parts.push(part);
      part = '';
    } else part += char;
  }
  return [...parts, part].map((one) => one.trim()).filter(Boolean);
}
