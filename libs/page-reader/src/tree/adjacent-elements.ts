import { type Element, Flag } from './page-tree.ts';

/** Elements that styling separates from their like: entries of menus. */
const ENTRIES = new Set(['a', 'button', 'label']);
const CODE = new Set(['code', 'pre', 'kbd', 'samp', 'tt']);
/** The end of a word, number or sentence, and the start of a word with a capital or of an amount. */
const SEAM = /^[\p{Ll}\p{N}.,:;!?)\]%][\p{Lu}\p{Sc}]$/u;

/**
 * True if styling separates two adjacent inline elements that no white space separates: entries of a menu, a price and its label. Other
 * adjacent elements are parts of one word, such as a letter in bold.
 */
export function areApart(before: Element, after: Element): boolean {
  if (ENTRIES.has(before.tag) && ENTRIES.has(after.tag)) return true;
  const seam = lastCharacter(before) + firstCharacter(after);
  return SEAM.test(seam) && !CODE.has(before.parent?.tag ?? '');
}

function lastCharacter({ children }: Element): string {
  for (let at = children.length - 1; at >= 0; at--) {
    const child = children[at];
    if (child === undefined) continue;
    if (typeof child === 'string') return child.at(-1) ?? '';
    if (child.words > 0 && (child.flags & Flag.notRendered) === 0) return lastCharacter(child);
  }
  return '';
}

function firstCharacter({ children }: Element): string {
  for (const child of children) {
    if (typeof child === 'string') return child.slice(0, 1);
    if (child.words > 0 && (child.flags & Flag.notRendered) === 0) return firstCharacter(child);
  }
  return '';
}
