import { type Element, Flag, isBlock, isInlineBox, rawText } from '../tree/page-tree.ts';

/** Names that highlighters give to line number columns and copy buttons. */
const NOT_CODE =
  /(?:^|[\s_-])(?:line-?nos?|linenos?|lineno(?:div)?|line-?numbers?(?:-rows)?|gutter|lnt?|hljs-ln-numbers|rouge-gutter|blob-num|copy(?:-button|btn)?|clipboard-copy|toolbar)(?=$|\s)/i;

interface CodeLines {
  text: string;
  /** The text is empty or ends with a line break. */
  isLineStart: boolean;
}

/** Returns code as written: line breaks and block children become lines, line numbers and excluded elements are omitted. */
export function codeText(element: Element): string {
  const lines = { text: '', isLineStart: true };
  addCode(element, lines);
  return lines.text;
}

function addCode(element: Element, lines: CodeLines): void {
  for (const child of element.children) {
    if (typeof child === 'string') add(child, lines);
    else if (child.tag === 'br') add('\n', lines);
    else if (isCode(child)) addPart(child, lines);
  }
}

function addPart(element: Element, lines: CodeLines): void {
  if (isOwnLine(element)) {
    addLine(element, lines);
    return;
  }
  if (element.tag === 'td' && !lines.isLineStart) add('\t', lines);
  addCode(element, lines);
}

function addLine(element: Element, lines: CodeLines): void {
  if (!lines.isLineStart) add('\n', lines);
  const { length } = lines.text;
  addCode(element, lines);
  if (!lines.isLineStart || lines.text.length === length) add('\n', lines);
}

function add(text: string, lines: CodeLines): void {
  if (text === '') return;
  lines.text += text;
  lines.isLineStart = text.endsWith('\n');
}

const PARTS_OF_TABLES = new Set(['tbody', 'td']);
const isOwnLine = (element: Element): boolean =>
  (isBlock(element.tag) && !PARTS_OF_TABLES.has(element.tag)) || isInlineBox(element);

/** True for a part of code, as opposed to what highlighters add to it. */
export function isCode(element: Element): boolean {
  const { tag, attributes, flags } = element;
  // Highlighters use names of boilerplate, such as `comment`.
  if ((flags & (Flag.notRendered | Flag.excluded)) !== 0) return false;
  if (tag === 'button' || tag === 'style' || tag === 'script' || tag === 'svg' || tag === 'textarea') return false;
  if (attributes['data-line-number'] !== undefined && rawText(element, 10).trim() === '') return false;
  const className = attributes['class'];
  return !(className && NOT_CODE.test(className));
}
