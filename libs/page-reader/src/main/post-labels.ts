import { makeOf } from '../tree/make-of.ts';
import { type Element, Flag, isElement } from '../tree/page-tree.ts';
import { isHeadingTag, isLeaf, isLeftOut, isSentence } from './prose.ts';
import { POST_LABELS_LABEL_WORDS, POST_LABELS_MIN_LABELS, POST_LABELS_PROSE_SHARE } from './thresholds.ts';

/** Elements whose short lines are text or data of a post. */
const TEXT_TAGS = new Set(['p', 'pre', 'li', 'td', 'th', 'dt', 'dd']);

interface LinesOfMake {
  readonly labels: Element[];
  hasText: boolean;
}

interface Lines {
  readonly byMake: Map<string, LinesOfMake>;
  words: number;
  prose: number;
}

/**
 * Marks labels of one make that recur in a conversation, such as the names of authors and the times of posts. Posts may
 * be nested in each other, so the depth of the labels is ignored. A make that one sentence has is that of texts, short
 * replies included. Returns the makes of texts.
 */
export function dropPostLabels(root: Element): ReadonlySet<string> {
  const lines: Lines = { byMake: new Map(), words: 0, prose: 0 };
  collect(root, lines);
  const isProse = lines.prose >= lines.words * POST_LABELS_PROSE_SHARE;
  const makesOfTexts = new Set<string>();
  for (const [make, { labels, hasText }] of lines.byMake) {
    if (hasText) makesOfTexts.add(make);
    else if (isProse && labels.length >= POST_LABELS_MIN_LABELS)
      for (const label of labels) label.flags |= Flag.boilerplate;
  }
  return makesOfTexts;
}

/** Identifies labels of one make in boxes of one make. The text of a line has no line feed. */
export const labelKeyOf = (line: Element, box: Element): string => `${makeOf(box)}\n${makeOf(line)}`;

function collect(element: Element, lines: Lines): void {
  for (const child of element.children) {
    if (!isElement(child) || child.words === 0 || isLeftOut(child)) continue;
    if (!isLeaf(child)) {
      collect(child, lines);
      continue;
    }
    lines.words += child.words;
    if (isSentence(child)) lines.prose += child.words - child.linkWords;
    if (!isHeadingTag(child.tag)) addLine(child, lines.byMake);
  }
}

function addLine(line: Element, byMake: Map<string, LinesOfMake>): void {
  const make = makeOf(line);
  if (make.endsWith(' ') || TEXT_TAGS.has(line.tag) || !line.parent) return;
  const key = labelKeyOf(line, line.parent);
  const lines = byMake.get(key) ?? { labels: [], hasText: false };
  byMake.set(key, lines);
  if (isSentence(line) && line.linkWords === 0) lines.hasText = true;
  else if (line.words <= POST_LABELS_LABEL_WORDS) lines.labels.push(line);
}
