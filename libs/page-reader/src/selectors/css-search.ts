import { selectAll } from 'css-select';
import { Element, type Page, rawText, type TreeNode } from '../tree/page-tree.ts';
import { parseSelector, RefusedSelector, TOO_COSTLY } from './selector-limits.ts';

/** Steps that all selectors of one page may take together: about 100 ms, far more than ordinary selectors need. */
const STEP_CAP = 5_000_000;
const SHOWN_CHARS = 80;
const NOTE_CAP = 20;

type Options = NonNullable<Parameters<typeof selectAll<TreeNode, Element>>[2]>;
type Adapter = NonNullable<Options['adapter']>;

class OutOfSteps extends Error {}

/**
 * Runs CSS selectors on the parsed tree, so that the page is parsed only once. Selectors are untrusted input: an
 * invalid or too costly one matches nothing and adds a note, and all of them share one budget of steps.
 */
export class CssSearch {
  readonly notes: string[] = [];
  readonly #root: Element;
  readonly #options: Options;
  #steps = 0;

  constructor(page: Page) {
    this.#root = page.root;
    this.#options = { adapter: this.#adapter(), relativeSelector: false };
  }

  /** Returns every matching element in document order. `setting` names the selector in notes. Never throws. */
  all(selector: string, setting: string): Element[] {
    try {
      return this.find(selector);
    } catch (error) {
      if (!(error instanceof RefusedSelector)) throw error;
      this.note(setting, selector, error.message);
      return [];
    }
  }

  /**
   * Returns every matching element in document order.
   * @throws RefusedSelector if the selector is invalid or too costly, for any page or for this one
   */
  find(selector: string): Element[] {
    try {
      // css-select caches results in its options, so each query gets a copy.
      return selectAll(parseSelector(selector), [this.#root], { ...this.#options }).filter(isTreeElement);
    } catch (error) {
      if (error instanceof RefusedSelector) throw error;
      throw new RefusedSelector(error instanceof OutOfSteps ? TOO_COSTLY : 'not a selector that can be run on a page');
    }
  }

  /** Records why a selector was not applied. Limited to the first few of a page. */
  note(setting: string, selector: string, reason: string): void {
    if (this.notes.length >= NOTE_CAP) return;
    const shown = selector.length > SHOWN_CHARS ? `${selector.slice(0, SHOWN_CHARS)}…` : selector;
    this.notes.push(`${setting}: "${shown}": ${reason}`);
  }

  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > STEP_CAP) throw new OutOfSteps();
  }

  #adapter(): Adapter {
    return {
      isTag: (node): node is Element => {
        this.#spend(1);
        return typeof node !== 'string';
      },
      getAttributeValue: (element, name) => attributeOf(element, name),
      hasAttrib: (element, name) => Object.hasOwn(element.attributes, name),
      getName: (element) => element.tag,
      getChildren: (node) => (typeof node === 'string' ? [] : node.children),
      getParent: (element) => {
        this.#spend(1);
        return element.parent ?? null;
      },
      getSiblings: (node) => {
        if (typeof node === 'string') return [node];
        const siblings = node.parent?.children ?? [node];
        // css-select copies and searches lists of siblings without calling the adapter again.
        this.#spend(1 + (siblings.length >> 3));
        return siblings;
      },
      getText: (node) => {
        const text = typeof node === 'string' ? node : rawText(node);
        this.#spend(1 + (text.length >> 4));
        return text;
      },
      removeSubsets: (nodes) => nodes,
    };
  }
}

/** Returns an attribute's value. Names such as `constructor` count only if the page has them. */
export const attributeOf = (element: Element, name: string): string | undefined =>
  Object.hasOwn(element.attributes, name) ? element.attributes[name] : undefined;

const isTreeElement = (node: TreeNode): node is Element => node instanceof Element;
