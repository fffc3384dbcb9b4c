import fontoxpath from 'fontoxpath';
import type { Element, Page } from '../tree/page-tree.ts';
import { RefusedSelector, TOO_COSTLY } from './selector-limits.ts';
import { checkXpath } from './xpath-limits.ts';
import { XpathFacade, XpathNode } from './xpath-nodes.ts';

const { evaluateXPath } = fontoxpath;

/** XPath is refused on larger pages: its sequences grow with the page and may multiply. */
const ELEMENT_CAP = 50_000;
/** Milliseconds that all XPath of one page may take together. */
const TIME_CAP_MS = 1_000;

/** A match: an element, or the text of an attribute or text node, or a computed value. */
export type XpathMatch = Element | string | number | boolean;

/**
 * Runs XPath on the parsed tree. fontoxpath accesses it through light nodes that are created on demand. This saves a
 * second parse by a DOM library (linkedom takes 28 ms of CPU for a page of 200 KB, a search here 4 to 22), and CSS and
 * XPath see the same page. The engine has no time limit, so expressions are restricted to those that visit nodes at
 * every step, and the facade throws after too many visits or too much time.
 */
export class XpathSearch {
  readonly #page: Page;
  #facade: XpathFacade | undefined;
  #document: XpathNode | undefined;
  #leftMs = TIME_CAP_MS;
  constructor(page: Page) {
    this.#page = page;
  }

  /** @throws RefusedSelector if the expression is invalid, not supported, or too costly for this page */
  all(expression: string): XpathMatch[] {
    checkXpath(expression);
    if (this.#page.elements > ELEMENT_CAP)
      throw new RefusedSelector(`XPath runs on pages of up to ${ELEMENT_CAP} elements`);
    if (this.#leftMs < 1) throw new RefusedSelector(TOO_COSTLY);
    const startedAtMs = performance.now();
    try {
      return this.#evaluate(expression).flatMap(toMatch);
    } catch {
      throw new RefusedSelector(this.#facade?.isSpent ? TOO_COSTLY : 'not an XPath that can be run on a page');
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
 * `//p` selects the `p` children of every node, which the engine then sorts. If no position is requested,
 * `/descendant::p` selects the same nodes in the same order at a fifth of the cost.
 * https://www.w3.org/TR/xpath-31/#abbrev
 */
const withDescendantAxis = (expression: string): string =>
  expression.replace(DESCENDANT, (whole, name: string | undefined) => (name ? `/descendant::${name}` : whole));

/** Expressions come from callers. Caching all compiled ones would exhaust the thread's memory. */
const UNCACHED = { disableCache: true };

function toMatch(found: unknown): XpathMatch[] {
  if (found instanceof XpathNode) return found.element ? [found.element] : [found.data];
  return typeof found === 'string' || typeof found === 'number' || typeof found === 'boolean' ? [found] : [];
}
