import { type Element, Flag, visibleLine } from '../tree/page-tree.ts';
import { isHeadingTag } from './prose.ts';
import {
  CLOSING_NOTE_LABEL_WORDS,
  CLOSING_NOTE_LINE_CHARS,
  LABELLED_PARAGRAPHS,
  NOTE_SHARE,
  NOTE_WORDS,
} from './thresholds.ts';

const LABEL = /[:：]$/;

/**
 * Marks a note about the author or the site: a few paragraphs at the end of a text, below its only heading of a low
 * level or below the only line that ends with a colon. `proseWords` has the words of prose of each child.
 */
export function dropClosingNote(children: readonly Element[], proseWords: readonly number[], totalWords: number): void {
  const start = startOfNote(children);
  if (start === -1) return;
  const section = children.slice(start + 1);
  const words = proseWords.slice(start + 1).reduce((sum, own) => sum + own, 0);
  if (words >= Math.min(NOTE_WORDS, totalWords * NOTE_SHARE) || section.some(({ tag }) => tag !== 'p')) return;
  if (children[start]?.tag === 'p' && section.length < LABELLED_PARAGRAPHS) return;
  for (const part of children.slice(start)) part.flags |= Flag.boilerplate;
}

/** Returns the position of the heading or label of a note, or -1. */
function startOfNote(children: readonly Element[]): number {
  const headings = children.filter(({ tag }) => isHeadingTag(tag) && tag !== 'h1');
  const [heading] = headings;
  if (heading && headings.length === 1 && heading.tag > 'h3') return children.indexOf(heading);
  const labels = children.filter(isLabel);
  return labels.length === 1 && labels[0] ? children.indexOf(labels[0]) : -1;
}

const isLabel = (child: Element): boolean =>
  child.tag === 'p' &&
  child.words < CLOSING_NOTE_LABEL_WORDS &&
  LABEL.test(visibleLine(child, CLOSING_NOTE_LINE_CHARS).trimEnd());
