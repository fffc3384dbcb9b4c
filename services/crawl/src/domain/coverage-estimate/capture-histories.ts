import type { HistoryCell } from './estimate-coverage.ts';

/** Sources of a run, by their bit: links, sitemaps, feeds and the list. */
export const SOURCES = 4;

/** Outcome of a URL in a run: it is a page that was read or not, it is no page that may be read, or it was not fetched. */
export type PageOutcome = 'read' | 'unread' | 'none' | 'unfetched';

/** A number of URLs that are alike. */
export interface CountedPages {
  readonly section: string;
  readonly depth: number;
  readonly isKnown: boolean;
  readonly sources: number;
  readonly outcome: PageOutcome;
  readonly pages: number;
}

/** Distinct sections counted apart. URLs arrive in random order, so that large sections are among the first. */
const MAX_SECTIONS = 1_000;
const MAX_DEPTH = 8;

interface Counts {
  read: number;
  unread: number;
  none: number;
  unfetched: number;
}

/** Sums the URLs of a run by the sources that list them. */
export class CaptureHistories {
  readonly #sections = new Set<string>();
  readonly #counts = new Map<string, Counts & Pick<HistoryCell, 'section' | 'depth' | 'isKnown' | 'sources'>>();

  add({ section, depth, isKnown, sources, outcome, pages }: CountedPages): void {
    if (this.#sections.size < MAX_SECTIONS) this.#sections.add(section);
    const place = {
      section: this.#sections.has(section) ? section : '',
      depth: Math.min(MAX_DEPTH, Math.max(0, depth)),
      isKnown,
      sources,
    };
    const key = `${place.depth} ${isKnown} ${sources} ${place.section}`;
    const counts = this.#counts.get(key) ?? { ...place, read: 0, unread: 0, none: 0, unfetched: 0 };
    counts[outcome] += pages;
    this.#counts.set(key, counts);
  }

  /** Returns the cells of the estimate. Of the URLs that were not fetched, as many are pages as of those that were. */
  cells(): HistoryCell[] {
    const all = [...this.#counts.values()];
    const fetched = all.reduce((sum, { read, unread, none }) => sum + read + unread + none, 0);
    const pages = all.reduce((sum, { read, unread }) => sum + read + unread, 0);
    const share = fetched === 0 ? 0 : pages / fetched;
    return all.map(({ section, depth, isKnown, sources, read, unread, unfetched }) => ({
      section,
      depth,
      isKnown,
      sources,
      pages: read + unread + unfetched * share,
      read,
    }));
  }
}
