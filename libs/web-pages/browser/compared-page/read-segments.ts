/** A piece of a segment: a text node, and the number of its characters without white space before it in the segment. */
export interface Piece {
  readonly node: Text;
  readonly from: number;
  readonly length: number;
}

/** Text between two borders of block elements, as a reader sees it on lines of its own. */
export interface Segment {
  /** Its text without white space. */
  readonly key: string;
  readonly pieces: readonly Piece[];
  /** The block element that it is in. */
  readonly block: Element;
}

/** Elements inside of a line. Cells are among them: a row of a table is one segment. */
const INLINE =
  /^(?:a|abbr|acronym|b|bdi|bdo|big|br|button|cite|code|data|del|dfn|em|font|i|ins|kbd|label|mark|nobr|q|rp|rt|ruby|s|samp|small|span|strike|strong|sub|sup|td|th|time|tt|u|var|wbr)$/;
/** Elements whose text is not shown. */
const HIDDEN = /^(?:style|noscript|template|title|head|datalist|svg|math|select|textarea)$/;
const SPACE = /\s+/g;

export const withoutSpace = (text: string): string => text.replace(SPACE, '');

/** Reads the segments of a page in reading order. */
export function readSegments(body: Element): Segment[] {
  const reader = new SegmentReader(body);
  reader.readElement(body, body);
  return reader.segments;
}

class SegmentReader {
  readonly segments: Segment[] = [];
  #pieces: Piece[] = [];
  #key = '';
  #block: Element;

  constructor(body: Element) {
    this.#block = body;
  }

  /** Reads an element and what is in it. @param above the nearest block element around it */
  readElement(element: Element, above: Element): void {
    if (HIDDEN.test(element.localName)) return;
    const isInline = INLINE.test(element.localName);
    if (!isInline) this.#endSegment();
    for (const child of childNodesOf(element)) this.#readNode(child, isInline ? above : element);
    if (!isInline) this.#endSegment();
  }

  #readNode(node: Node, above: Element): void {
    if (node instanceof Text) this.#addText(node, above);
    else if (node instanceof Element) this.readElement(node, above);
  }

  #addText(node: Text, above: Element): void {
    const text = withoutSpace(node.data);
    if (text === '') return;
    if (this.#key === '') this.#block = above;
    this.#pieces.push({ node, from: this.#key.length, length: text.length });
    this.#key += text;
  }

  #endSegment(): void {
    if (this.#key !== '') this.segments.push({ key: this.#key, pieces: this.#pieces, block: this.#block });
    this.#pieces = [];
    this.#key = '';
  }
}

const childNodes = Object.getOwnPropertyDescriptor(Node.prototype, 'childNodes')?.get;

/** Returns the children of a node. A form can have a field of the name `childNodes`, so that the prototype is read. */
function childNodesOf(node: Node): Node[] {
  const children: NodeListOf<ChildNode> | undefined = childNodes?.call(node);
  return children === undefined ? [] : [...children];
}
