import { selectAll } from 'css-select';
import { Element, type Page, rawText, type TreeNode } from '../tree/page-tree.ts';
import { parseSelector, RefusedSelector, TOO_COSTLY } from './selector-limits.ts';

/** Steps all selectors of one page may take together: some 100 ms, and far more than plain selectors need. */
const STEP_CAP = 5_000_000;
const SHOWN_CHARS = 80;
const NOTE_CAP = 20;

type Options = NonNullable<Parameters<typeof selectAll<TreeNode, Element>>[2]>;
type Adapter = NonNullable<Options['adapter']>;

class OutOfSteps extends Error {}

/**
 * CSS over the page's own tree, so that nothing is parsed twice. Selectors are a stranger's: one that is broken or too
 * costly matches nothing and leaves a note, and all of them share one budget of steps.
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

  /** Every element that matches, in document order. `setting` is what the caller knows the selector by. Never throws. */
  all(selector: string, setting: string): Element[] {
    try {
      return this.find(selector);
    } catch (error) {
      if (!(error instanceof RefusedSelector)) throw error;
      this.note(setting, selector, error.message);
      return [];
    }
  }

  /** Every element that matches, in document order. @throws RefusedSelector where the selector can't be tried, on any page or on this one */
  find(selector: string): Element[] {
    try {
      // Compiled queries remember what they found: options are fresh for each one.
      return selectAll(parseSelector(selector), [this.#root], { ...this.#options }).filter(isTreeElement);
    } catch (error) {
      if (error instanceof RefusedSelector) throw error;
      throw new RefusedSelector(
        error instanceof OutOfSteps ? TOO_COSTLY : 'not a selector that can be tried on a page',
      );
    }
  }

  /** Tells what could not be done with a selector; the first few of a page are enough to see what is wrong. */
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
        // Lists of siblings are copied and searched without asking again.
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

/** An attribute's value; names such as `constructor` are attributes only where the page has them. */
export const attributeOf = (element: Element, name: string): string | undefined =>
  Object.hasOwn(element.attributes, name) ? element.attributes[name] : undefined;

const isTreeElement = (node: TreeNode): node is Element => node instanceof Element;
