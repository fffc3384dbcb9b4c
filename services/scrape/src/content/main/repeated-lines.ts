import { type Element, Flag, isElement, visibleLine } from '../tree/page-tree.ts';
import type { PageKind } from './page-kind.ts';
import { isHeadingTag, isLeaf, isLeftOut, makeOf } from './prose.ts';

const RUN_LENGTH = 4;
const LINE_WORDS = 6;
const SHARE = 0.6;
const lettersOnly = (line: string): string => line.replace(/[\d\s.,:]+/g, ' ').trim();

/**
 * Marks short lines that recur in most of a run of like siblings, such as "Reply" or "Add to cart". Digits are ignored,
 * so that counters are equal; a line without letters, such as a price, stays.
 */
export function dropRepeatedLines(root: Element, kind: PageKind): void {
  for (const group of groupsOf(root)) {
    const lines = new Map<string, { members: number; elements: Element[] }>();
    for (const member of group) {
      const seen = new Set<string>();
      collectLines(member, kind === 'forum', (element, key) => {
        const line = lines.get(key) ?? { members: 0, elements: [] };
        if (!seen.has(key)) line.members++;
        seen.add(key);
        line.elements.push(element);
        lines.set(key, line);
      });
    }
    for (const { members, elements } of lines.values())
      if (members >= RUN_LENGTH && members >= group.length * SHARE)
        for (const element of elements) element.flags |= Flag.boilerplate;
  }
  for (const child of root.children)
    if (isElement(child) && !isLeftOut(child) && !isLeaf(child)) dropRepeatedLines(child, kind);
}

function groupsOf(root: Element): Element[][] {
  const byMake = new Map<string, Element[]>();
  for (const child of root.children) {
    if (!isElement(child) || isLeftOut(child) || child.words === 0 || child.tag === 'tr' || child.tag === 'tbody')
      continue;
    const make = makeOf(child);
    const group = byMake.get(make);
    if (group) group.push(child);
    else byMake.set(make, [child]);
  }
  return [...byMake.values()].filter((group) => group.length >= RUN_LENGTH);
}

function collectLines(element: Element, isForum: boolean, found: (element: Element, key: string) => void): void {
  if (isLeftOut(element) || element.words === 0 || isHeadingTag(element.tag) || element.tag === 'table') return;
  if (!isLeaf(element)) {
    for (const child of element.children) if (isElement(child)) collectLines(child, isForum, found);
    return;
  }
  if (element.words > LINE_WORDS || (element.tag === 'p' && element.words > 4)) return;
  const line = visibleLine(element, 80).toLowerCase();
  const key = isForum ? lettersOnly(line) : line;
  if (/\p{L}{2}/u.test(key)) found(element, key);
}
