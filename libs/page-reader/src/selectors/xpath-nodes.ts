import type { IDomFacade } from 'fontoxpath';
import { Element } from '../tree/page-tree.ts';

/** https://dom.spec.whatwg.org/#interface-node */
const ELEMENT = 1;
const ATTRIBUTE = 2;
const TEXT = 3;
const DOCUMENT = 9;

/** A tree node in the form that fontoxpath expects. Children are created on first access. */
export class XpathNode {
  readonly nodeType: number;
  readonly localName: string;
  readonly parent: XpathNode | undefined;
  /** Its position among its parent's children. */
  readonly index: number;
  readonly element: Element | undefined;
  /** The text of a text node or the value of an attribute. */
  readonly data: string;
  readonly namespaceURI = null;
  readonly prefix = null;
  #children: XpathNode[] | undefined;
  #attributes: XpathNode[] | undefined;

  constructor(nodeType: number, parent: XpathNode | undefined, index: number, of: Element | string, name = '') {
    this.nodeType = nodeType;
    this.parent = parent;
    this.index = index;
    this.element = of instanceof Element ? of : undefined;
    this.data = of instanceof Element ? '' : of;
    this.localName = of instanceof Element ? of.tag : name;
  }

  static documentOf(root: Element): XpathNode {
    const document = new XpathNode(DOCUMENT, undefined, 0, '', '#document');
    document.#children = [new XpathNode(ELEMENT, document, 0, root)];
    return document;
  }

  get name(): string {
    return this.localName;
  }

  get nodeName(): string {
    return this.localName;
  }

  get value(): string {
    return this.data;
  }

  get target(): string {
    return '';
  }

  children(): XpathNode[] {
    this.#children ??= (this.element?.children ?? []).map((child, index) =>
      typeof child === 'string' ? new XpathNode(TEXT, this, index, child) : new XpathNode(ELEMENT, this, index, child),
    );
    return this.#children;
  }

  attributes(): XpathNode[] {
    this.#attributes ??= Object.entries(this.element?.attributes ?? {}).map(
      ([name, value], index) => new XpathNode(ATTRIBUTE, this, index, value, name),
    );
    return this.#attributes;
  }
}

/** Node visits that all XPath of one page may make together. */
const VISIT_CAP = 5_000_000;

/** Gives fontoxpath access to the page. Counts the visits and throws when there are too many. */
export class XpathFacade implements IDomFacade {
  /** Deadline of the current search, on the clock of `performance.now()`. */
  endsAtMs = Number.POSITIVE_INFINITY;
  #visits = 0;
  #isTimedOut = false;

  get isSpent(): boolean {
    return this.#isTimedOut || this.#visits > VISIT_CAP;
  }

  getAllAttributes(node: object): XpathNode[] {
    return this.#visit(node).attributes();
  }

  getAttribute(node: object, name: string): string | null {
    const element = this.#visit(node).element;
    return element && Object.hasOwn(element.attributes, name) ? (element.attributes[name] ?? null) : null;
  }

  getChildNodes(node: object): XpathNode[] {
    return this.#visit(node).children();
  }

  getData(node: object): string {
    const { data } = this.#visit(node);
    this.#spend(data.length >> 4);
    return data;
  }

  getFirstChild(node: object): XpathNode | null {
    return this.#visit(node).children()[0] ?? null;
  }

  getLastChild(node: object): XpathNode | null {
    return this.#visit(node).children().at(-1) ?? null;
  }

  getNextSibling(node: object): XpathNode | null {
    const { parent, index } = this.#visit(node);
    return parent?.children()[index + 1] ?? null;
  }

  getParentNode(node: object): XpathNode | null {
    return this.#visit(node).parent ?? null;
  }

  getPreviousSibling(node: object): XpathNode | null {
    const { parent, index } = this.#visit(node);
    return index === 0 ? null : (parent?.children()[index - 1] ?? null);
  }

  #visit(node: object): XpathNode {
    this.#spend(1);
    if (!(node instanceof XpathNode)) throw new TypeError('a node of another tree');
    return node;
  }

  #spend(visits: number): void {
    this.#visits += visits;
    if ((this.#visits & 63) === 0) this.#isTimedOut ||= performance.now() > this.endsAtMs;
    if (this.isSpent) throw new Error('too many visits');
  }
}
