import type { ContentOptions } from '../options/content-options.ts';
import type { CssSearch } from '../selectors/css-search.ts';
import { type Element, Flag, type Page } from '../tree/page-tree.ts';
import { findBanners } from './find-banners.ts';
import { includedRoots } from './included-roots.ts';

/** What the caller's options leave out of a page or select from it. */
export interface FilterResult {
  readonly banners: readonly Element[];
  readonly excluded: readonly Element[];
  /** Undefined if there are no include selectors, or none matches. */
  readonly included: Included | undefined;
  /** The include selectors that match an element, visible or not. */
  readonly matchedIncludes: readonly string[];
}

export interface Included {
  readonly matches: readonly Element[];
  /** The matches, wrapped for output. */
  readonly roots: readonly Element[];
}

/** Flags banners and excluded elements and selects the included ones. A selector that fails adds a note. */
export function applyFilters(page: Page, content: ContentOptions, css: CssSearch): FilterResult {
  const banners = content.removeBanners ? findBanners(page) : [];
  const excluded = content.excludeSelectors.flatMap((selector) => css.all(selector, 'exclude_selectors'));
  for (const element of banners) element.flags |= Flag.excluded;
  for (const element of excluded) element.flags |= Flag.excluded;
  return { banners, excluded, ...include(page, content, css) };
}

function include(
  page: Page,
  content: ContentOptions,
  css: CssSearch,
): Pick<FilterResult, 'included' | 'matchedIncludes'> {
  const { includeSelectors } = content;
  if (includeSelectors.length === 0) return { included: undefined, matchedIncludes: [] };
  const found = includeSelectors.map((selector) => css.all(selector, 'include_selectors'));
  const matchedIncludes = includeSelectors.filter((_, at) => (found[at]?.length ?? 0) > 0);
  const matches = found.length === 1 ? (found[0] ?? []) : inDocumentOrder(page, new Set(found.flat()));
  if (matches.length === 0) {
    css.notes.push('include_selectors matched nothing: the usual content was read');
    return { included: undefined, matchedIncludes };
  }
  const roots = includedRoots(matches, page.body);
  if (roots.length > 0) return { included: { matches, roots }, matchedIncludes };
  css.notes.push('include_selectors matched only hidden or excluded elements: the usual content was read');
  return { included: undefined, matchedIncludes };
}

function inDocumentOrder(page: Page, selected: ReadonlySet<Element>): Element[] {
  const ordered: Element[] = [];
  const visit = (element: Element): void => {
    if (selected.has(element)) ordered.push(element);
    for (const child of element.children) if (typeof child !== 'string') visit(child);
  };
  if (selected.size > 0) visit(page.root);
  return ordered;
}
