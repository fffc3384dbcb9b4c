import { type Element, Flag, isElement, visibleLine } from '../tree/page-tree.ts';
import { findShown, isLeaf, isLeftOut, isSentence, proseWordsOf } from './prose.ts';
import {
  BOX_SHARE,
  EDITOR_SHARE,
  EDITORS_CAP,
  FURNITURE_BOX_WORDS,
  FURNITURE_LEVELS,
  FURNITURE_WORDS_AFTER,
  NOTICE_SHARE,
  NOTICE_WORDS,
  SHARE_AFTER,
  TIME_WORDS,
} from './thresholds.ts';

const NOTICE = /©.*\d{4}|\d{4}.*©/;

interface Parts {
  readonly lines: Element[];
  readonly editors: Element[];
}

export interface FurnitureOptions {
  /** Lines with a time are those of posts and entries. In an article they may be the subject. */
  readonly dropsTimes: boolean;
}

/**
 * Marks parts of a page that are not its text, by their function: boxes around a text area, the copyright notice at the
 * end, short lines with a time.
 */
export function dropFurniture(root: Element, { dropsTimes }: FurnitureOptions): void {
  const parts: Parts = { lines: [], editors: [] };
  collect(root, parts, true);
  for (const editor of parts.editors) {
    const box = boxOf(editor, root, EDITOR_SHARE);
    if (box !== editor) box.flags |= Flag.boilerplate;
  }
  const notice = noticeIn(parts.lines, root.words);
  if (notice) boxOf(notice, root, NOTICE_SHARE).flags |= Flag.boilerplate;
  if (!dropsTimes) return;
  for (const line of parts.lines)
    if (line.words <= TIME_WORDS && !isSentence(line) && holdsTime(line)) line.flags |= Flag.boilerplate;
}

function collect(element: Element, parts: Parts, isShown: boolean): void {
  for (const child of element.children) {
    if (!isElement(child)) continue;
    if (child.tag === 'textarea' && parts.editors.length < EDITORS_CAP) parts.editors.push(child);
    const shows = isShown && child.words > 0 && !isLeftOut(child);
    if (shows && isLeaf(child)) parts.lines.push(child);
    collect(child, parts, shows && !isLeaf(child));
  }
}

/** Returns the largest box around an element that has next to no prose. */
function boxOf(element: Element, root: Element, proseShare: number): Element {
  const maxProse = Math.min(FURNITURE_BOX_WORDS, proseWordsOf(root) * proseShare);
  let box = element;
  for (let up = element.parent, level = 0; up && up !== root && level < FURNITURE_LEVELS; up = up.parent, level++) {
    if (up.words >= root.words * BOX_SHARE || proseWordsOf(up) > maxProse) break;
    box = up;
  }
  return box;
}

/** Returns the last line with a copyright sign and a year, if little text follows. */
function noticeIn(lines: readonly Element[], words: number): Element | undefined {
  let after = 0;
  for (const line of lines.toReversed()) {
    if (line.words < NOTICE_WORDS && NOTICE.test(visibleLine(line, 300))) return line;
    after += line.words;
    if (after >= Math.max(FURNITURE_WORDS_AFTER, words * SHARE_AFTER)) return undefined;
  }
  return undefined;
}

const holdsTime = (line: Element): boolean =>
  line.tag === 'time' || findShown(line, (inner) => inner.tag === 'time') !== undefined;
