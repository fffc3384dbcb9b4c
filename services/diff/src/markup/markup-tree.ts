/** A text run, or an element. */
export type MarkupNode = MarkupElement | string;

/** One element as the page says it: nothing is left out and nothing is smoothed, so that selectors find what users' selectors find. */
export class MarkupElement {
  readonly tag: string;
  /** Names in lower case, in the page's order. */
  readonly attributes: Map<string, string>;
  readonly parent: MarkupElement | undefined;
  readonly children: MarkupNode[] = [];
  /** Comments among its children: no nodes, since nothing stands in them. */
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

/** A parsed page: `html`, `head` and `body` always exist, as the standard has it. */
export interface MarkupPage {
  readonly root: MarkupElement;
  readonly head: MarkupElement;
  readonly body: MarkupElement;
  /** Elements and text runs. */
  readonly nodes: number;
}

export const isElement = (node: MarkupNode): node is MarkupElement => typeof node !== 'string';

/** Every element below and the start itself, in document order. */
export function elementsFrom(start: MarkupElement, into: MarkupElement[] = []): MarkupElement[] {
  into.push(start);
  for (const child of start.children) if (isElement(child)) elementsFrom(child, into);
  return into;
}

/** Elements whose text nobody reads. */
export const UNREAD_TAGS: ReadonlySet<string> = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe']);

/** What a reader sees of an element, white space collapsed, up to a bound. */
export function textOf(element: MarkupElement, capChars = Number.POSITIVE_INFINITY): string {
  const parts: string[] = [];
  let chars = 0;
  const gather = (node: MarkupNode): void => {
    if (chars > capChars) return;
    if (typeof node === 'string') {
      parts.push(node);
      chars += node.length;
    } else if (!UNREAD_TAGS.has(node.tag)) {
      parts.push(' ');
      node.children.forEach(gather);
      parts.push(' ');
    }
  };
  gather(element);
  const text = parts.join('').replace(/\s+/g, ' ').trim();
  return text.length > capChars ? `${text.slice(0, capChars)}…` : text;
}
