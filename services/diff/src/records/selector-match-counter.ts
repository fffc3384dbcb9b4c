import type { MatchedSelectors } from '@tidemark/contracts/page/v1/page';
import type { Settings } from '@tidemark/project-config';
import { folderOf } from '../domain/page-key.ts';
import type { PageReading } from '../domain/page-reading.ts';
import type { SelectorStats } from '../selectors/find-breaks.ts';

/** Maximum number of folders with statistics; pages of further folders are ignored. */
const MAX_FOLDERS = 100;

interface ConfiguredSelector {
  readonly setting: string;
  readonly selector: string;
  readonly matchedIn: (matched: MatchedSelectors) => boolean;
}

interface FolderMatches {
  pages: number;
  words: number;
  rules: number;
  readonly matched: number[];
  /** Per selector, the first pages that it matched on. */
  readonly matchedPages: { readonly pageKey: string; readonly words: number }[][];
  /** Per selector, the pages that it matched on in the baseline and does not match on now. */
  readonly lostPages: { readonly pageKey: string; readonly words: number }[][];
}

/** Selectors that match on more pages are evaluated by their share of the folder. */
const MAX_MATCHED_PAGES = 5;

/** Counts per folder on how many pages each configured selector matched. */
export class SelectorMatchCounter {
  readonly #configured: readonly ConfiguredSelector[];
  readonly #byFolder = new Map<string, FolderMatches>();
  /** Pages that a selector matched on in the baseline, by setting, selector and page. */
  readonly #baseline: ReadonlySet<string>;

  constructor(config: Settings, baseline: readonly SelectorStats[] = []) {
    this.#configured = configuredSelectors(config);
    this.#baseline = new Set(
      baseline.flatMap(({ setting, selector, matchedPages = [] }) =>
        matchedPages.map(({ pageKey }) => watchKey(setting, selector, pageKey)),
      ),
    );
  }

  /** Adds a readable page. */
  add({ pageKey, words, blocksVersion }: PageReading, matched: MatchedSelectors | undefined): void {
    if (this.#configured.length === 0 || matched === undefined) return;
    const folder = folderOf(pageKey);
    if (!this.#byFolder.has(folder) && this.#byFolder.size >= MAX_FOLDERS) return;
    const matches = this.#byFolder.get(folder) ?? {
      pages: 0,
      words: 0,
      rules: blocksVersion,
      matched: this.#configured.map(() => 0),
      matchedPages: this.#configured.map(() => []),
      lostPages: this.#configured.map(() => []),
    };
    this.#byFolder.set(folder, matches);
    matches.pages += 1;
    matches.words += words;
    const page = { pageKey, words };
    for (const [at, { setting, selector, matchedIn }] of this.#configured.entries())
      if (matchedIn(matched)) {
        matches.matched[at] = (matches.matched[at] ?? 0) + 1;
        // One more than the limit shows that there are more.
        if ((matches.matchedPages[at]?.length ?? 0) <= MAX_MATCHED_PAGES) matches.matchedPages[at]?.push(page);
      } else if (this.#baseline.has(watchKey(setting, selector, pageKey))) matches.lostPages[at]?.push(page);
  }

  stats(): SelectorStats[] {
    return [...this.#byFolder].flatMap(([template, { pages, words, rules, matched, matchedPages, lostPages }]) =>
      this.#configured.map(({ setting, selector }, at) => ({
        setting,
        selector,
        template,
        rules,
        pages,
        matched: matched[at] ?? 0,
        words,
        ...pagesOf('matchedPages', matchedPages[at]),
        ...pagesOf('lostPages', lostPages[at]),
      })),
    );
  }
}

const watchKey = (setting: string, selector: string, pageKey: string): string =>
  [setting, selector, pageKey].join('\n');

const pagesOf = (
  name: 'matchedPages' | 'lostPages',
  pages: SelectorStats['matchedPages'] = [],
): Pick<SelectorStats, 'matchedPages' | 'lostPages'> =>
  pages.length === 0 || pages.length > MAX_MATCHED_PAGES ? {} : { [name]: pages };

function configuredSelectors(config: Settings): ConfiguredSelector[] {
  const fields = Object.entries(config.fields ?? {}).map(([name, { selector }]) => ({
    setting: `fields.${name}`,
    selector,
    matchedIn: (matched: MatchedSelectors) => matched.fields.includes(name),
  }));
  const included = (config.include_selectors ?? []).map((selector) => ({
    setting: 'include_selectors',
    selector,
    matchedIn: (matched: MatchedSelectors) => matched.include.includes(selector),
  }));
  return [...fields, ...included];
}
