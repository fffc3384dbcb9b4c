import type { MatchedSelectors } from '@tidemark/contracts/page/v1/page';
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
}

/** Counts per folder on how many pages each configured selector matched. */
export class SelectorMatchCounter {
  readonly #configured: readonly ConfiguredSelector[];
  readonly #byFolder = new Map<string, FolderMatches>();

  constructor(config: Readonly<Record<string, unknown>>) {
    this.#configured = configuredSelectors(config);
  }

  /** Adds a readable page. */
  add({ pageKey, spec, blocksVersion }: PageReading, matched: MatchedSelectors | undefined): void {
    if (this.#configured.length === 0 || matched === undefined) return;
    const folder = folderOf(pageKey);
    if (!this.#byFolder.has(folder) && this.#byFolder.size >= MAX_FOLDERS) return;
    const matches = this.#byFolder.get(folder) ?? {
      pages: 0,
      words: 0,
      rules: blocksVersion,
      matched: this.#configured.map(() => 0),
    };
    this.#byFolder.set(folder, matches);
    matches.pages += 1;
    matches.words += spec;
    for (const [at, { matchedIn }] of this.#configured.entries())
      if (matchedIn(matched)) matches.matched[at] = (matches.matched[at] ?? 0) + 1;
  }

  stats(): SelectorStats[] {
    return [...this.#byFolder].flatMap(([template, { pages, words, rules, matched }]) =>
      this.#configured.map(({ setting, selector }, at) => ({
        setting,
        selector,
        template,
        rules,
        pages,
        matched: matched[at] ?? 0,
        words,
      })),
    );
  }
}

function configuredSelectors(config: Readonly<Record<string, unknown>>): ConfiguredSelector[] {
  const fields = Object.entries(isRecord(config['fields']) ? config['fields'] : {}).map(([name, rule]) => ({
    setting: `fields.${name}`,
    selector: isRecord(rule) ? String(rule['selector'] ?? '') : '',
    matchedIn: (matched: MatchedSelectors) => matched.fields.includes(name),
  }));
  const include = config['include_selectors'];
  const included = (Array.isArray(include) ? include.map(String) : []).map((selector) => ({
    setting: 'include_selectors',
    selector,
    matchedIn: (matched: MatchedSelectors) => matched.include.includes(selector),
  }));
  return [...fields, ...included];
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
