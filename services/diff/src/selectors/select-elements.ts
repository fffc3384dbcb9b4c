import { selectAll } from 'css-select';
import { isElement, type MarkupElement, type MarkupNode, type MarkupPage, textOf } from '../markup/markup-tree.ts';
import { xpathToCss } from './xpath-to-css.ts';

export const MAX_SELECTOR_CHARS = 1_000;
/** Step limit of one selector on one page: about 40 ms, far above ordinary selectors. */
const MAX_STEPS = 2_000_000;

type Options = NonNullable<Parameters<typeof selectAll<MarkupNode, MarkupElement>>[2]>;
type Adapter = NonNullable<Options['adapter']>;

class OutOfSteps extends Error {}

/**
 * Returns the elements a selector matches, in document order. Selectors are untrusted: an invalid or too expensive
 * selector, or an XPath without CSS equivalent, matches nothing. Never throws.
 */
export function selectElements(page: MarkupPage, selector: string): MarkupElement[] {
  const css = isXpath(selector) ? xpathToCss(selector) : selector;
  if (css === undefined || css.trim() === '' || css.length > MAX_SELECTOR_CHARS) return [];
  try {
    return selectAll(css, [page.root], { adapter: boundedAdapter(), relativeSelector: false }).filter(isElement);
  } catch {
    return [];
  }
}

/** Cache of selector matches on one page. */
export class SelectionCache {
  readonly page: MarkupPage;
  readonly #cached = new Map<string, readonly MarkupElement[]>();

  constructor(page: MarkupPage) {
    this.page = page;
  }

  all(selector: string): readonly MarkupElement[] {
    const cached = this.#cached.get(selector) ?? selectElements(this.page, selector);
    this.#cached.set(selector, cached);
    return cached;
  }
}

/** XPath begins with a step from the root or with a parenthesis; CSS never does. */
export const isXpath = (selector: string): boolean => /^\s*(?:xpath:|\.{0,2}\/|\()/i.test(selector);

/** Returns the elements that are not inside another of the list. */
export function outermost(elements: readonly MarkupElement[]): MarkupElement[] {
  const all = new Set(elements);
  return elements.filter((element) => {
    for (let at = element.parent; at !== undefined; at = at.parent) if (all.has(at)) return false;
    return true;
  });
}

function boundedAdapter(): Adapter {
  let steps = 0;
  const spend = (cost: number): void => {
    steps += cost;
    if (steps > MAX_STEPS) throw new OutOfSteps();
  };
  return {
    isTag: (node): node is MarkupElement => {
      spend(1);
      return isElement(node);
    },
    getAttributeValue: (element, name) => element.attributes.get(name),
    hasAttrib: (element, name) => element.attributes.has(name),
    getName: (element) => element.tag,
    getChildren: (node) => (isElement(node) ? node.children : []),
    getParent: (element) => {
      spend(1);
      return element.parent ?? null;
    },
    getSiblings: (node) => {
      if (!isElement(node)) return [node];
      const siblings = node.parent?.children ?? [node];
      spend(1 + (siblings.length >> 3));
      return siblings;
    },
    getText: (node) => {
      const text = isElement(node) ? textOf(node) : node;
      spend(1 + (text.length >> 4));
      return text;
    },
    removeSubsets: (nodes) => nodes,
  };
}
