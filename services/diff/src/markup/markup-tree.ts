/** An element or a text run. */
export type MarkupNode = MarkupElement | string;

/** An element as in the page, without normalisation, so that selectors match as users expect. */
export class MarkupElement {
  readonly tag: string;
  /** Lower-case names in source order. */
  readonly attributes: Map<string, string>;
  readonly parent: MarkupElement | undefined;
  readonly children: MarkupNode[] = [];
  /** Comments among its children; not part of `children`. */
  readonly comments: string[] = [];

  constructor(tag: string, attributes: Map<string, string>, parent: MarkupElement | undefined) {
    this.tag = tag;
    this.attributes = attributes;
    this.parent = parent;
  }

  attribute(name: string): string {
    return this.attributes.get(name) ?? '';
  }

  get elements(): MarkupElement[] {
    return this.children.filter(isElement);
  }

  get classes(): string[] {
    return this.attribute('class').split(/\s+/).filter(Boolean);
  }
}

/** A parsed page. `html`, `head` and `body` always exist, as in the HTML standard. */
export interface MarkupPage {
  readonly root: MarkupElement;
  readonly head: MarkupElement;
  readonly body: MarkupElement;
  /** Number of elements and text runs. */
  readonly nodes: number;
}

export const isElement = (node: MarkupNode): node is MarkupElement => typeof node !== 'string';

/** Returns the element and its descendants in document order. */
export function elementsFrom(start: MarkupElement, into: MarkupElement[] = []): MarkupElement[] {
  into.push(start);
  for (const child of start.children) if (isElement(child)) elementsFrom(child, into);
  return into;
}

/** Elements without visible text. */
export const UNREAD_TAGS: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe']);

/** Returns the visible text of an element, white space collapsed, up to a limit. */
export function textOf(element: MarkupElement, capChars = Number.POSITIVE_INFINITY): string {
  const parts: string[] = [];
  let chars = 0;
  const collect = (node: MarkupNode): void => {
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
