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
  const segments: Segment[] = [];
  let pieces: Piece[] = [];
  let key = '';
  let block = body;
  const flush = (): void => {
    if (key !== '') segments.push({ key, pieces, block });
    [pieces, key] = [[], ''];
  };
  const walk = (node: Node, above: Element): void => {
    if (node instanceof Text) {
      const text = withoutSpace(node.data);
      if (text === '') return;
      if (key === '') block = above;
      pieces.push({ node, from: key.length, length: text.length });
      key += text;
      return;
    }
    if (!(node instanceof Element) || HIDDEN.test(node.localName)) return;
    const isInline = INLINE.test(node.localName);
    if (!isInline) flush();
    for (const child of childNodesOf(node)) walk(child, isInline ? above : node);
    if (!isInline) flush();
  };
  walk(body, body);
  flush();
  return segments;
}

const childNodes = Object.getOwnPropertyDescriptor(Node.prototype, 'childNodes')?.get;

/** Returns the children of a node. A form can have a field of the name `childNodes`, so that the prototype is read. */
function childNodesOf(node: Node): Node[] {
  const children: NodeListOf<ChildNode> | undefined = childNodes?.call(node);
  return children === undefined ? [] : [...children];
}
