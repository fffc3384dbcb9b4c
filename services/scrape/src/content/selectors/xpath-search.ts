import fontoxpath from 'fontoxpath';
import type { Element, Page } from '../tree/page-tree.ts';
import { RefusedSelector, TOO_COSTLY } from './selector-limits.ts';
import { checkXpath } from './xpath-limits.ts';
import { XpathFacade, XpathNode } from './xpath-nodes.ts';

const { evaluateXPath } = fontoxpath;

/** Larger pages are not searched by XPath: its sequences are of the page's size, and may be multiplied by it. */
const ELEMENT_CAP = 50_000;
/** Milliseconds all XPath of one page may take together. */
const TIME_CAP_MS = 1_000;

/** What an XPath found: an element, or text (of an attribute or a text node, or computed). */
export type XpathMatch = Element | string | number | boolean;

/**
 * XPath over the page's own tree. fontoxpath walks it through a facade of light nodes, made when first asked for: no
 * second parse by a DOM library (linkedom takes 28 ms of CPU for a page of 200 KB, a search here 4 to 22), and
 * what CSS and XPath see is the same. The engine has no time limit of its own: expressions are held to what looks at the
 * page at every turn, and the facade ends a walk that visits too much or takes too long.
 */
export class XpathSearch {
  readonly #page: Page;
  #facade: XpathFacade | undefined;
  #document: XpathNode | undefined;
  #leftMs = TIME_CAP_MS;
  constructor(page: Page) {
    this.#page = page;
  }

  /** @throws RefusedSelector where the expression is no XPath, not supported, or too costly for this page */
  all(expression: string): XpathMatch[] {
    checkXpath(expression);
    if (this.#page.elements > ELEMENT_CAP)
      throw new RefusedSelector(`XPath is tried on pages of up to ${ELEMENT_CAP} elements`);
    if (this.#leftMs < 1) throw new RefusedSelector(TOO_COSTLY);
    const startedAtMs = performance.now();
    try {
      return this.#evaluate(expression).flatMap(toMatch);
    } catch {
      throw new RefusedSelector(this.#facade?.isSpent ? TOO_COSTLY : 'not an XPath that can be tried on a page');
    } finally {
      this.#leftMs -= performance.now() - startedAtMs;
    }
  }

  #evaluate(expression: string): unknown[] {
    this.#facade ??= new XpathFacade();
    this.#document ??= XpathNode.documentOf(this.#page.root);
    this.#facade.endsAtMs = performance.now() + this.#leftMs;
    const { ALL_RESULTS_TYPE } = evaluateXPath;
    return evaluateXPath(
      withDescendantAxis(expression),
      this.#document,
      this.#facade,
      null,
      ALL_RESULTS_TYPE,
      UNCACHED,
    );
  }
}

const DESCENDANT =
  /"[^"]*"|'[^']*'|\/\/([A-Za-z][\w-]*|\*)(?=\s*(?:$|[/\]),=]|\[@[\w-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'))?\](?!\s*\[)))/g;

/**
 * `//p` is short for every node's children called p, which the engine then sorts; where no position is asked for, all
 * descendants called p are the same, in order, at a fifth of the cost. https://www.w3.org/TR/xpath-31/#abbrev
 */
const withDescendantAxis = (expression: string): string =>
  expression.replace(DESCENDANT, (whole, name: string | undefined) => (name ? `/descendant::${name}` : whole));

/** Expressions are strangers' and many: kept compiled, they would fill the reader's memory. */
const UNCACHED = { disableCache: true };

function toMatch(found: unknown): XpathMatch[] {
  if (found instanceof XpathNode) return found.element ? [found.element] : [found.data];
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? [found] : [];
}
