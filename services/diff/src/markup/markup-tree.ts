import {
  attributeOf,
  type Element,
  isElement,
  type Page,
  parsePage,
  type TreeNode,
} from '@tidemark/page-reader/source';

/** Above either limit a page is not compared and reported as too_large. Nodes are elements and text runs. */
export const MAX_NODES = 50_000;
export const MAX_CHARS = 20_000_000;

/** The page exceeds the limits of a comparison. */
export class TooLarge extends Error {
  constructor() {
    super(`page exceeds ${MAX_NODES} nodes`);
    this.name = 'TooLarge';
  }
}

/** The markup of a page: the tree that selectors of captures match on, with every attribute and comment. */
export interface MarkupPage extends Page {
  /** Number of elements and text runs. */
  readonly nodes: number;
}

/** @throws TooLarge */
export function parseMarkup(html: string): MarkupPage {
  if (html.length > MAX_CHARS) throw new TooLarge();
  // One element above the limit shows that the page exceeds it.
  const page = parsePage(html, { keepsAllAttributes: true, keepsComments: true, maxElements: MAX_NODES + 1 });
  const nodes = countNodes(page.root);
  if (nodes > MAX_NODES) throw new TooLarge();
  return { ...page, nodes };
}

const countNodes = (node: TreeNode): number =>
  isElement(node) ? node.children.reduce((sum, child) => sum + countNodes(child), 1) : 1;

/** Returns the value of an attribute; empty: the element does not have it. */
export const attributeIn = (element: Element, name: string): string => attributeOf(element, name) ?? '';

export const childElements = (element: Element): Element[] => element.children.filter(isElement);

export const classesOf = (element: Element): string[] => attributeIn(element, 'class').split(/\s+/).filter(Boolean);

/** Returns the element and its descendants in document order. */
export function elementsFrom(start: Element, into: Element[] = []): Element[] {
  into.push(start);
  for (const child of start.children) if (isElement(child)) elementsFrom(child, into);
  return into;
}

/** Elements without visible text. */
export const UNREAD_TAGS: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe']);

/** Returns the visible text of an element, white space collapsed, up to a limit. */
export function textOf(element: Element, capChars = Number.POSITIVE_INFINITY): string {
  const parts: string[] = [];
  let chars = 0;
  const collect = (node: TreeNode): void => {
    if (chars > capChars) return;
    if (typeof node === 'string') {
      parts.push(node);
      chars += node.length;
    } else if (!UNREAD_TAGS.has(node.tag)) {
      parts.push(' ');
      node.children.forEach(collect);
      parts.push(' ');
    }
  };
  collect(element);
  const text = parts.join('').replace(/\s+/g, ' ').trim();
  return text.length > capChars ? `${text.slice(0, capChars)}…` : text;
}
