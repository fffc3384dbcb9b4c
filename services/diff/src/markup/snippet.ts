import { isElement, type TreeNode } from '@tidemark/page-reader/source';
import { type ComparedNode, isComparedElement, openingTag } from './compared-tree.ts';

export const MAX_SNIPPET_CHARS = 300;
/** Characters shown before the first difference of long texts. */
const CONTEXT_CHARS = 60;

const truncate = (text: string): string =>
  text.length > MAX_SNIPPET_CHARS ? `${text.slice(0, MAX_SNIPPET_CHARS)}…` : text;

/** Returns an excerpt of a node's markup as in the page. */
export function snippetOf(node: ComparedNode): string {
  if (!isComparedElement(node)) return truncate(node.rawText);
  let markup = '';
  const write = (part: TreeNode): void => {
    if (markup.length > MAX_SNIPPET_CHARS) return;
    if (!isElement(part)) {
      markup += part
        .slice(0, MAX_SNIPPET_CHARS * 4)
        .replace(/\s+/g, ' ')
        .slice(0, MAX_SNIPPET_CHARS + 1);
      return;
    }
    markup += openingTag(part);
    if (part.children.length === 0) return;
    part.children.forEach(write);
    markup += `</${part.tag}>`;
  };
  write(node.source);
  return truncate(markup.trim());
}

/** Returns excerpts of two texts, starting shortly before their first difference. */
export function differingParts(before: string, after: string): { before: string; after: string } {
  let common = 0;
  while (common < before.length && common < after.length && before[common] === after[common]) common += 1;
  const from =
    common > CONTEXT_CHARS && Math.max(before.length, after.length) > MAX_SNIPPET_CHARS ? common - CONTEXT_CHARS : 0;
  const shown = (text: string): string => (from > 0 ? `…${truncate(text.slice(from))}` : truncate(text));
  return { before: shown(before), after: shown(after) };
}
