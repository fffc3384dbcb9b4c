import { measurePage } from '../tree/measure-page.ts';
import { collapseSpaces, Element, type Page, rawText, visibleLine } from '../tree/page-tree.ts';
import { parsePage } from '../tree/parse-page.ts';
import { CssSearch } from './css-search.ts';
import { isXpath, RefusedSelector, TOO_COSTLY } from './selector-limits.ts';
import { type XpathMatch, XpathSearch } from './xpath-search.ts';

/** The matches of a selector on one page, or the error. */
export interface SelectorMatch {
  readonly count: number;
  readonly samples: readonly string[];
  /** Empty if the selector was run. */
  readonly error: string;
  /** True if the error applies to this page only. */
  readonly isPageSpecific: boolean;
}

const SAMPLE_CHARS = 300;
/** Matches examined for samples. Many contain no text. */
const EXAMINED_CAP = 50;
/** Characters of all samples of one page together. */
const PAGE_CHARS = 20_000;

/**
 * Runs CSS and XPath selectors on a page, which is parsed once and not filtered. An invalid or too costly selector
 * returns an error and does not stop the others. Pure.
 */
export function matchSelectors(html: string, selectors: readonly string[], samples: number): SelectorMatch[] {
  return new Matcher(parsePage(html, { keepsAllAttributes: true }), samples).all(selectors);
}

class Matcher {
  readonly #page: Page;
  readonly #samples: number;
  readonly #css: CssSearch;
  readonly #xpath: XpathSearch;
  #isMeasured = false;
  #charsLeft = PAGE_CHARS;

  constructor(page: Page, samples: number) {
    this.#page = page;
    this.#samples = samples;
    this.#css = new CssSearch(page);
    this.#xpath = new XpathSearch(page);
  }

  all(selectors: readonly string[]): SelectorMatch[] {
    return selectors.map((selector) => {
      try {
        const found = this.#find(selector);
        return { count: found.length, samples: this.#textsOf(found), error: '', isPageSpecific: false };
      } catch (error) {
        if (!(error instanceof RefusedSelector)) throw error;
        return { count: 0, samples: [], error: error.message, isPageSpecific: error.message === TOO_COSTLY };
      }
    });
  }

  #find(selector: string): readonly XpathMatch[] {
    if (!isXpath(selector)) return this.#css.find(selector);
    return this.#xpath.all(selector.trim()).filter(isNonEmpty);
  }

  #textsOf(found: readonly XpathMatch[]): string[] {
    if (this.#samples === 0) return [];
    const texts: string[] = [];
    for (const match of found.slice(0, EXAMINED_CAP)) {
      if (texts.length >= this.#samples || this.#charsLeft <= 0) break;
      const text =
        match instanceof Element ? this.#textOf(match) : collapseSpaces(String(match).slice(0, SAMPLE_CHARS));
      if (text === '') continue;
      this.#charsLeft -= text.length;
      texts.push(text);
    }
    return texts;
  }

  /** Returns the visible text, or else the raw text. */
  #textOf(element: Element): string {
    if (!this.#isMeasured) measurePage(this.#page);
    this.#isMeasured = true;
    if (element.tag === 'meta') return collapseSpaces((element.attributes['content'] ?? '').slice(0, SAMPLE_CHARS));
    return visibleLine(element, SAMPLE_CHARS).trim() || collapseSpaces(rawText(element, SAMPLE_CHARS));
  }
}

/** True for an element, and for a computed value that is not empty. */
const isNonEmpty = (found: XpathMatch): boolean =>
  found instanceof Element || (typeof found === 'string' ? found.trim() !== '' : Boolean(found));
