import { type Element, NO_ATTRIBUTES } from '../tree/page-tree.ts';
import {
  BLOCK_ANCHORS_CHARS_CAP,
  CLASS_CHARS_CAP,
  CLASSES_CAP,
  GENERATED_PART_CHARS,
  NAME_CHARS,
  PATHS_CAP,
  STEPS_CAP,
} from './thresholds.ts';

/** One element on the path from the body, with only those names that survive a rebuild of the site. */
interface PathNode {
  readonly name: string;
  readonly outer: PathNode | undefined;
  readonly inner: Map<string, PathNode>;
  /** Its number among the paths; 0 if not numbered yet. */
  index: number;
}

const newPathNode = (name: string, outer: PathNode | undefined): PathNode => ({
  name,
  outer,
  inner: new Map(),
  index: 0,
});

/**
 * Assigns numbers to places in the markup: the path of elements from the body down, with only those names that survive
 * a rebuild of the site.
 */
export class BlockAnchors {
  readonly paths: string[] = [];
  readonly #body = newPathNode('', undefined);
  readonly #nodes = new Map<Element, PathNode>();
  readonly #names = new Map<string, Map<string, string>>();
  /** Consecutive texts mostly have the same parent. */
  #lastOuter: Element | undefined;
  #lastNode = this.#body;

  /** Returns the number of an element's place, from 1; 0 if the page has more places than the limit. */
  numberOf(element: Element): number {
    const node = this.#nodeIn(element);
    if (node.index > 0 || this.paths.length >= PATHS_CAP) return node.index;
    this.paths.push(pathOf(node));
    node.index = this.paths.length;
    return node.index;
  }

  #nodeIn(element: Element): PathNode {
    const { parent } = element;
    if (parent === undefined || element.tag === 'body') return this.#body;
    if (parent !== this.#lastOuter) {
      this.#lastNode = this.#ancestorNode(parent);
      this.#lastOuter = parent;
    }
    const outer = this.#lastNode;
    const name = this.#nameOf(element);
    let node = outer.inner.get(name);
    if (!node) {
      node = newPathNode(name, outer);
      outer.inner.set(name, node);
    }
    return node;
  }

  /** Returns the node of an ancestor. Cached, because ancestors are requested repeatedly. */
  #ancestorNode(element: Element): PathNode {
    let node = this.#nodes.get(element);
    if (!node) {
      node = this.#nodeIn(element);
      this.#nodes.set(element, node);
    }
    return node;
  }

  #nameOf({ tag, attributes }: Element): string {
    if (attributes === NO_ATTRIBUTES) return tag;
    const { id, class: className } = attributes;
    if (id === undefined && className === undefined) return tag;
    const bare = id !== undefined && !/\d/.test(id) && isStable(id) ? `${tag}#${id}` : tag;
    return className === undefined ? bare : this.#withClasses(bare, className.slice(0, CLASS_CHARS_CAP));
  }

  #withClasses(bare: string, classes: string): string {
    const known = this.#names.get(bare);
    const named = known ?? new Map<string, string>();
    if (!known) this.#names.set(bare, named);
    let name = named.get(classes);
    if (name === undefined) {
      name = bare + stableClasses(classes);
      named.set(classes, name);
    }
    return name;
  }
}

function pathOf(node: PathNode): string {
  const names: string[] = [];
  let chars = 0;
  for (let at: PathNode | undefined = node; at?.outer && names.length < STEPS_CAP; at = at.outer) {
    chars += at.name.length + 1;
    if (chars > BLOCK_ANCHORS_CHARS_CAP) break;
    names.push(at.name);
  }
  return names.reverse().join('>');
}

function stableClasses(classes: string): string {
  const kept: string[] = [];
  for (const name of classes.trim().split(/\s+/)) {
    if (kept.length === CLASSES_CAP) break;
    const bare = name.includes('_') ? name.replace(MODULE_SUFFIX, '') : name;
    if (bare !== '' && isStable(bare) && !STATE.test(bare)) kept.push(`.${bare}`);
  }
  return kept.join('');
}

/** Suffixes that CSS modules add, as in `Card_title__a1B2c`. */
const MODULE_SUFFIX = /_{1,3}(?=[\w-]*(?:\d|[a-z][A-Z]))[A-Za-z0-9+-]{4,10}$/;
/** Names that reflect state: `is-open`, `active`, `lazyloaded`. */
const STATE =
  /^(?:is-|has-|js-|no-)|^(?:active|open|opened|closed|show|shown|hover|focus|current|selected|loaded|visible|fade|in|collapsed?|expanded|odd|even|first|last)$|lazy/i;
/** Names that libraries and builds generate. */
const GENERATED =
  /^(?:css|sc|jsx|jss|emotion|styled|svelte|astro|data-v|mui|radix|headlessui|ember|react|yui)[-:_]?[\w:-]*\d|^:r|\d{3,}|^\d/i;

function isStable(name: string): boolean {
  if (name.length > NAME_CHARS || !/^[\w-]+$/.test(name) || GENERATED.test(name)) return false;
  return !name.split(/[-_]+/).some(isRandomName);
}

/** True for `a1b2c`, `bdVaJa`, `kXw9Zq`: digits between letters, or capitals too close together for camel case. */
const isRandomName = (part: string): boolean =>
  part.length >= GENERATED_PART_CHARS &&
  (/[a-z]\d+[a-z]/i.test(part) || /[a-z][A-Z][a-z]?[A-Z]/.test(part) || /^[0-9a-f]{6,}$/.test(part));
