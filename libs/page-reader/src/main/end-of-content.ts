import { makeOf } from '../tree/make-of.ts';
import { type Element, Flag, isElement } from '../tree/page-tree.ts';
import { dropClosingNote } from './closing-note.ts';
import { PageKind } from './page-kind.ts';
import { findShown, isHeadingTag, isLeaf, isLeftOut, isSentence, proseWordsOf } from './prose.ts';
import {
  ADDITION_SHARE,
  ADDITION_WORDS,
  END_OF_CONTENT_LEVELS,
  END_OF_CONTENT_LINK_SHARE,
  END_OF_CONTENT_RUN_LENGTH,
  END_OF_CONTENT_TEXT_SHARE,
  END_OF_CONTENT_WORDS_AFTER,
  FORUM_TEASER_WORDS,
  HEADLINE_LINK_SHARE,
  LABEL_BEFORE_WORDS,
  LEAF_LABEL_WORDS,
  RUN_LABEL_WORDS,
  SHARE_BEFORE,
  TEASER_WORDS,
  TEASERS_SHARE,
  WORDS_BEFORE,
  WORDS_BEFORE_LABEL,
} from './thresholds.ts';

export interface OtherContentOptions {
  readonly kind: PageKind;
  /** The page is known to have one text. Otherwise only runs below a label are other content. */
  readonly hasText: boolean;
}

interface Progress {
  /** Words of prose before the current element. */
  seen: number;
  /** Words of prose outside all runs of teasers. */
  total: number;
  /** Runs by their first member. */
  readonly runs: Map<Element, Element[]>;
  readonly members: Set<Element>;
  readonly maxWords: number;
  readonly hasText: boolean;
}

/**
 * Marks other content after the text of an article: runs of like siblings with a link as their headline and little
 * text, at every level below the chosen element. The heading before such a run belongs to it.
 */
export function dropOtherContent(root: Element, { kind, hasText }: OtherContentOptions): void {
  const maxWords = teaserWordsOf(kind);
  const progress: Progress = { seen: 0, total: 0, runs: new Map(), members: new Set(), maxWords, hasText };
  findRuns(root, progress);
  if (progress.runs.size === 0) return;
  progress.total = proseWordsOf(root);
  for (const member of progress.members) progress.total -= proseWordsOf(member);
  visit(root, progress);
}

const teaserWordsOf = (kind: PageKind): number => (kind === PageKind.forum ? FORUM_TEASER_WORDS : TEASER_WORDS);

/** Finds the outermost runs below an element. */
function findRuns(element: Element, progress: Progress): void {
  const children = shownChildren(element);
  if (children.length >= END_OF_CONTENT_RUN_LENGTH)
    for (const run of runsOf(children, progress.maxWords)) {
      const [first] = run;
      if (first) progress.runs.set(first, run);
      for (const member of run) progress.members.add(member);
    }
  for (const child of children) if (!progress.members.has(child) && !isLeaf(child)) findRuns(child, progress);
}

function visit(element: Element, progress: Progress): void {
  const children = shownChildren(element);
  for (const [at, child] of children.entries()) {
    if (isLeftOut(child)) continue;
    if (progress.members.has(child)) dropRun(children, at, progress);
    else if (!isLeaf(child)) visit(child, progress);
    else if (isSentence(child)) progress.seen += child.words - child.linkWords;
  }
}

/** Marks the run that starts at a position, if it is other content. */
function dropRun(children: readonly Element[], at: number, progress: Progress): void {
  const run = children[at] && progress.runs.get(children[at]);
  if (!run || !isOther(progress, children[at - 1])) return;
  for (const member of run) member.flags |= Flag.boilerplate;
  dropHeadingBefore(children, at);
}

const shownChildren = (element: Element): Element[] =>
  element.children.filter((child): child is Element => isElement(child) && child.words > 0 && !isLeftOut(child));

/** Returns runs of teasers of one make. Other elements between them do not end a run. */
function runsOf(children: readonly Element[], maxWords: number): Element[][] {
  const byMake = new Map<string, Element[]>();
  for (const child of children) {
    const make = makeOf(child);
    const group = byMake.get(make);
    if (group) group.push(child);
    else byMake.set(make, [child]);
  }
  return [...byMake.values()].filter((group) => {
    const teasers = group.filter((member) => isTeaser(member, maxWords)).length;
    return teasers >= END_OF_CONTENT_RUN_LENGTH && teasers >= group.length * TEASERS_SHARE;
  });
}

/** True for a short block that is mostly a link, or whose heading or first line is one. */
function isTeaser(element: Element, maxWords: number): boolean {
  if (element.words > maxWords || element.linkWords < 2 || isHeadingTag(element.tag) || element.tag === 'p')
    return false;
  if (element.linkWords >= element.words * END_OF_CONTENT_LINK_SHARE) return true;
  // The figures of a gallery have linked headings as well.
  if (isLeaf(element) || element.tag === 'li' || element.tag === 'figure') return false;
  const headline =
    findShown(element, (inner) => isHeadingTag(inner.tag) && inner.words > 1) ??
    findShown(element, (inner) => inner.words > 2 && isLeaf(inner) && (inner.flags & Flag.notRendered) === 0);
  if (headline === undefined) return false;
  return (
    (headline.linkWords > 2 && headline.linkWords >= headline.words * HEADLINE_LINK_SHARE) ||
    isInLink(headline, element)
  );
}

/** True for an element inside a link of the block. */
function isInLink(element: Element, block: Element): boolean {
  for (let up = element.parent; up && up !== block; up = up.parent) if (up.tag === 'a') return true;
  return false;
}

function isOther({ seen, total, hasText }: Progress, before: Element | undefined): boolean {
  if (total - seen >= END_OF_CONTENT_WORDS_AFTER || seen < total * SHARE_BEFORE) return false;
  return (hasText && seen >= WORDS_BEFORE) || (before !== undefined && isLabel(before) && seen >= WORDS_BEFORE_LABEL);
}

/** True for a short line that is no heading. The entries of an index stand below headings. */
const isLabel = (element: Element): boolean =>
  isLeaf(element) && !isLeftOut(element) && !isHeadingTag(element.tag) && element.words < RUN_LABEL_WORDS;

function dropHeadingBefore(children: readonly Element[], at: number): void {
  const before = children[at - 1];
  if (!before || isLeftOut(before) || before.words >= LABEL_BEFORE_WORDS) return;
  if (isHeadingTag(before.tag) || (isLeaf(before) && before.words < LEAF_LABEL_WORDS)) before.flags |= Flag.boilerplate;
}

const TEXT_TAGS = new Set(['table', 'pre', 'ul', 'ol', 'dl', 'figure', 'blockquote', 'p']);

/**
 * Marks blocks with next to no prose after the element that holds most of the prose, at every level up to the chosen
 * element.
 */
export function dropAdditions(root: Element, kind: PageKind): void {
  const total = proseWordsOf(root);
  if (total < WORDS_BEFORE) return;
  const limit = Math.min(ADDITION_WORDS, total * ADDITION_SHARE);
  let element: Element | undefined = root;
  for (let level = 0; element && level < END_OF_CONTENT_LEVELS; level++) {
    const children = shownChildren(element);
    element = soleBox(children) ?? dropAfterText(children, { total, limit, kind });
  }
}

function soleBox([only, ...more]: readonly Element[]): Element | undefined {
  return only && more.length === 0 && !isText(only) ? only : undefined;
}

interface AdditionLimits {
  /** Words of prose of the chosen element. */
  readonly total: number;
  /** Words of prose of an addition, exclusive. */
  readonly limit: number;
  readonly kind: PageKind;
}

/** Marks the additions after the text of an element, by its children. @returns the child that holds the text, if one does */
function dropAfterText(children: readonly Element[], limits: AdditionLimits): Element | undefined {
  const minWords = limits.total * END_OF_CONTENT_TEXT_SHARE;
  const words = children.map((child) => proseWordsOf(child));
  const at = children.findIndex((child, index) => !isText(child) && (words[index] ?? 0) >= minWords);
  const text = children[at];
  const last = text ? at : lastOfText(children, words, minWords);
  if (last === -1) return undefined;
  for (const [index, after] of children.entries()) {
    if (index <= last || TEXT_TAGS.has(after.tag) || (!text && isFurtherText(after))) continue;
    if (isAddition(after, words[index] ?? 0, limits)) after.flags |= Flag.boilerplate;
  }
  if (!text) dropClosingNote(children, words, limits.total);
  return text;
}

/** True for a block with less prose than the limit, teasers not counted. `words`: of its prose. */
const isAddition = (block: Element, words: number, { limit, kind }: AdditionLimits): boolean =>
  words < limit || words - teaserProse(block, teaserWordsOf(kind)) < limit;

/** True for a sentence, and for a box that holds one unlinked paragraph: a page writes it after an action of its reader. */
function isFurtherText(element: Element): boolean {
  if (isLeaf(element)) return isSentence(element);
  let only = element;
  for (let children = shownChildren(only); children.length === 1 && children[0]; children = shownChildren(only))
    only = children[0];
  return only.tag === 'p' && only.linkWords === 0;
}

const isText = (element: Element): boolean => isLeaf(element) || TEXT_TAGS.has(element.tag);

/** Returns the position of the last paragraph of a text whose paragraphs are children of one element, or -1. */
function lastOfText(children: readonly Element[], words: readonly number[], minWords: number): number {
  let last = -1;
  let sum = 0;
  for (const [index, child] of children.entries()) {
    const own = words[index] ?? 0;
    if (own === 0 || !isText(child)) continue;
    sum += own;
    last = index;
  }
  return sum >= minWords ? last : -1;
}

/** Returns the words of prose in the teasers below an element. */
function teaserProse(element: Element, maxWords: number): number {
  if (isLeaf(element)) return 0;
  if (isTeaser(element, maxWords)) return proseWordsOf(element);
  let words = 0;
  for (const child of element.children)
    if (isElement(child) && !isLeftOut(child)) words += teaserProse(child, maxWords);
  return words;
}
