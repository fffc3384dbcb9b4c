import type { ContentOptions } from '../../domain/content-options.ts';
import type { Selection } from '../selectors/selection.ts';
import { type Element, Mark, type Page } from '../tree/page-tree.ts';
import { findBanners } from './find-banners.ts';
import { includedRoots } from './included-roots.ts';

/** What the caller's own choices leave out of a page and keep of it. */
export interface Filtered {
  readonly banners: readonly Element[];
  readonly excluded: readonly Element[];
  /** What the include selectors chose; undefined where none is given or none matches. */
  readonly included: Included | undefined;
  /** The include selectors that name something, shown or not. */
  readonly named: readonly string[];
}

export interface Included {
  readonly matches: readonly Element[];
  /** The matches, ready to be written. */
  readonly roots: readonly Element[];
}

/** Marks banners and excluded elements, and finds the included ones. A selector that fails leaves a note. */
export function applyFilters(page: Page, content: ContentOptions, selection: Selection): Filtered {
  const banners = content.removeBanners ? findBanners(page) : [];
  const excluded = content.excludeSelectors.flatMap((selector) => selection.all(selector, 'exclude_selectors'));
  for (const element of banners) element.marks |= Mark.excluded;
  for (const element of excluded) element.marks |= Mark.excluded;
  return { banners, excluded, ...include(page, content, selection) };
}

function include(page: Page, content: ContentOptions, selection: Selection): Pick<Filtered, 'included' | 'named'> {
  const { includeSelectors } = content;
  if (includeSelectors.length === 0) return { included: undefined, named: [] };
  const found = includeSelectors.map((selector) => selection.all(selector, 'include_selectors'));
  const named = includeSelectors.filter((_, at) => (found[at]?.length ?? 0) > 0);
  const matches = found.length === 1 ? (found[0] ?? []) : inOrder(page, new Set(found.flat()));
  if (matches.length === 0) {
    selection.notes.push('include_selectors matched nothing: the usual content was read');
    return { included: undefined, named };
  }
  const roots = includedRoots(matches, page.body);
  if (roots.length > 0) return { included: { matches, roots }, named };
  selection.notes.push('include_selectors matched only what is hidden or left out: the usual content was read');
  return { included: undefined, named };
}

function inOrder(page: Page, chosen: ReadonlySet<Element>): Element[] {
  const ordered: Element[] = [];
  const visit = (element: Element): void => {
    if (chosen.has(element)) ordered.push(element);
    for (const child of element.children) if (typeof child !== 'string') visit(child);
  };
  if (chosen.size > 0) visit(page.root);
  return ordered;
}
