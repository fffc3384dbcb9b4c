import { type Element, Flag, isBlock, rawText } from '../tree/page-tree.ts';

/** Names that highlighters give to line number columns and copy buttons. */
const NOT_CODE =
  /(?:^|[\s_-])(?:line-?nos?|linenos?|lineno(?:div)?|line-?numbers?(?:-rows)?|gutter|lnt?|hljs-ln-numbers|rouge-gutter|blob-num|copy(?:-button|btn)?|clipboard-copy|toolbar)(?=$|\s)/i;

/** Returns code as written: line breaks and block children become lines, line numbers and excluded elements are omitted. */
export function codeText(element: Element): string {
  let text = '';
  for (const child of element.children) {
    if (typeof child === 'string') text += child;
    else if (child.tag === 'br') text += '\n';
    else if (isCode(child)) {
      const inner = codeText(child);
      const ownLine =
        isBlock(child.tag) &&
        child.tag !== 'table' &&
        child.tag !== 'tbody' &&
        child.tag !== 'td' &&
        child.tag !== 'pre';
      text += ownLine && text !== '' && !text.endsWith('\n') ? `\n${inner}` : inner;
      if (ownLine && !inner.endsWith('\n')) text += '\n';
    }
  }
  return text;
}

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
