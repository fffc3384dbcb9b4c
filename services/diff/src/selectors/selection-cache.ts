import { type Element, findElements } from '@tidemark/page-reader/source';
import type { MarkupPage } from '../markup/markup-tree.ts';

/** Cache of selector matches on one page. */
export class SelectionCache {
  readonly page: MarkupPage;
  readonly #cached = new Map<string, readonly Element[]>();

  constructor(page: MarkupPage) {
    this.page = page;
  }

  all(selector: string): readonly Element[] {
    const cached = this.#cached.get(selector) ?? findElements(this.page, selector);
    this.#cached.set(selector, cached);
    return cached;
  }
}

/** Returns the elements that are not inside another of the list. */
export function outermost(elements: readonly Element[]): Element[] {
  const all = new Set(elements);
  return elements.filter((element) => {
    for (let at = element.parent; at !== undefined; at = at.parent) if (all.has(at)) return false;
    return true;
  });
}
