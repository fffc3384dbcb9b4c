import { type Element, Flag } from '../tree/page-tree.ts';
import { REPEATED_BLOCKS, REPEATED_CHILDREN } from './thresholds.ts';

/** Finds the largest group of similar siblings of a page: same tag and first class name, each with a link and words. */
export class RepeatedBlocks {
  count = 0;
  /** Words of the whole group. */
  words = 0;

  /** Evaluates the children of one element. */
  countChildren(element: Element): void {
    // An element with no more words than the largest group cannot contain a larger one.
    if (
      (element.flags & Flag.notRendered) !== 0 ||
      element.children.length < REPEATED_CHILDREN ||
      element.words <= this.words
    )
      return;
    const groups = new Map<string, { count: number; words: number }>();
    for (const child of element.children) {
      if (
        typeof child === 'string' ||
        child.words === 0 ||
        child.linkWords === 0 ||
        (child.flags & (Flag.notRendered | Flag.boilerplate)) !== 0
      )
        continue;
      const key = `${child.tag} ${firstName(child.attributes['class'])}`;
      const group = groups.get(key) ?? { count: 0, words: 0 };
      group.count++;
      group.words += child.words;
      groups.set(key, group);
    }
    for (const { count, words } of groups.values()) {
      if (count < REPEATED_BLOCKS || words <= this.words) continue;
      this.count = count;
      this.words = words;
    }
  }
}

/** Returns the first name of a class attribute. */
function firstName(className: string | undefined): string {
  if (className === undefined) return '';
  const end = className.search(/\s/);
  return end === -1 ? className : className.slice(0, end);
}
