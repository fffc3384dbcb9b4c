import { type Element, Flag, visibleLine } from '../tree/page-tree.ts';
import { isHeadingTag } from './prose.ts';

/** A note has less prose than this, also as a share of the page's. */
const NOTE_WORDS = 60;
const NOTE_SHARE = 0.2;
/** A shorter section below a line with a colon is what the line introduces, such as a quotation. */
const LABELLED_PARAGRAPHS = 2;
const LABEL_WORDS = 6;
const LINE_CHARS = 120;
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
  child.tag === 'p' && child.words < LABEL_WORDS && LABEL.test(visibleLine(child, LINE_CHARS).trimEnd());
