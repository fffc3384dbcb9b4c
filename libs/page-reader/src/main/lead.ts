import { makeOf } from '../tree/make-of.ts';
import { Hint } from '../tree/name-hints.ts';
import { collapseSpaces, type Element, Flag, findFirst, isWithin, type Page, rawText } from '../tree/page-tree.ts';
import { foldText, isHeadingTag, isLeaf, isLeftOut, proseWordsOf } from './prose.ts';
import {
  BARE_LEAD_WORDS,
  CONTRIBUTIONS,
  CONTRIBUTIONS_SHARE,
  LEAD_BOX_RATIO,
  LEAD_DENSITY,
  LEAD_HEADINGS_CAP,
  LEAD_LEVELS,
  LEAD_WORDS,
  SUBJECT_WORDS,
} from './thresholds.ts';

/** Returns the heading that names the page: the one that repeats its title, otherwise the first of the first level. */
export function headlineOf(page: Page, title: string | undefined): Element | undefined {
  const shown = page.indexed.headings
    .slice(0, LEAD_HEADINGS_CAP)
    .filter((heading) => heading.words > 0 && !isHiddenOrChrome(heading));
  const expected = foldText(title ?? '');
  const texts = shown.map((heading) => foldText(collapseSpaces(rawText(heading, 400))));
  return shown[texts.indexOf(expected)] ?? shown[texts.findIndex((text) => startsAlike(text, expected))] ?? shown[0];
}

/** True for texts that share their first half: a title with the name of the site, a heading with a label. */
function startsAlike(text: string, title: string): boolean {
  let same = 0;
  while (same < text.length && text[same] === title[same]) same++;
  return same * 2 > text.length && same * 2 > title.length;
}

function isHiddenOrChrome(element: Element): boolean {
  for (let up: Element | undefined = element; up; up = up.parent) if (isLeftOut(up)) return true;
  return false;
}

/**
 * Widens the chosen element to the paragraphs that stand between the page's headline and it, or directly before it
 * where the headline is missing. Everything else in the wider element becomes boilerplate.
 */
export function withLead(root: Element, headline: Element | undefined): Element {
  if (root.tag === 'body') return root;
  if (headline && isWithin(headline, root)) return root;
  const top = headline ? commonAncestor(root, headline) : ancestorOf(root, LEAD_LEVELS);
  if (!top || top === root) return root;
  const minWords = minLeadWords(root, headline);
  const state = { root, headline, minWords, started: headline === undefined, ended: false, leads: new Set<Element>() };
  collect(top, state);
  if (state.leads.size === 0) return root;
  keepOnly(top, state);
  return top;
}

function minLeadWords(root: Element, headline: Element | undefined): number {
  if (!headline) return BARE_LEAD_WORDS;
  return isListOfTexts(root) || hasOwnArticle(headline, root) ? SUBJECT_WORDS : LEAD_WORDS;
}

/** True for a headline in an article element beside the chosen element. */
function hasOwnArticle(headline: Element, root: Element): boolean {
  for (let up = headline.parent; up; up = up.parent) if (up.tag === 'article') return !isWithin(root, up);
  return false;
}

interface LeadSearch {
  readonly root: Element;
  readonly headline: Element | undefined;
  readonly minWords: number;
  started: boolean;
  ended: boolean;
  readonly leads: Set<Element>;
}

function collect(element: Element, state: LeadSearch): void {
  for (const child of element.children) {
    if (state.ended) return;
    if (typeof child === 'string') continue;
    if (child === state.root) state.ended = true;
    else if (child === state.headline) state.started = true;
    else if (!isLeftOut(child) && child.words > 0) collectShown(child, state);
  }
}

function collectShown(element: Element, state: LeadSearch): void {
  if (isLeaf(element)) {
    if (state.started && isLead(element, state.minWords)) state.leads.add(element);
  } else if ((element.hints & (Hint.comment | Hint.aside)) === 0 || isWithin(state.root, element))
    collect(element, state);
}

/** True for an element that mostly consists of like blocks with prose: comments, reviews, posts. */
function isListOfTexts(root: Element): boolean {
  const words = new Map<string, { count: number; words: number }>();
  for (const child of root.children) {
    if (typeof child === 'string' || isLeftOut(child) || child.tag === 'p' || isHeadingTag(child.tag)) continue;
    const group = words.get(makeOf(child)) ?? { count: 0, words: 0 };
    words.set(makeOf(child), { count: group.count + 1, words: group.words + proseWordsOf(child) });
  }
  for (const group of words.values())
    if (group.count >= CONTRIBUTIONS && group.words > root.words * CONTRIBUTIONS_SHARE) return true;
  return false;
}

/** True for a text in one small box with an image: its caption. */
function isNextToImage(element: Element): boolean {
  for (
    let up = element.parent, level = 0;
    up && level < 2 && up.words < element.words * LEAD_BOX_RATIO;
    up = up.parent, level++
  )
    if (findFirst(up, (inner) => inner.tag === 'img' || inner.tag === 'picture')) return true;
  return false;
}

const isLead = (element: Element, minWords: number): boolean =>
  (element.tag !== 'li' || minWords < LEAD_WORDS) &&
  !isNextToImage(element) &&
  element.words >= minWords &&
  element.linkWords < element.words * LEAD_DENSITY &&
  element.punctuation > 0 &&
  !isHeadingTag(element.tag) &&
  (element.hints & (Hint.caption | Hint.meta | Hint.comment | Hint.aside)) === 0;

/** Marks all subtrees without a lead, the headline or the root. */
function keepOnly(element: Element, state: LeadSearch): boolean {
  if (element === state.root || state.leads.has(element)) return true;
  if (element === state.headline) return false;
  let keeps = false;
  const others: Element[] = [];
  for (const child of element.children) {
    if (typeof child === 'string') continue;
    if (keepOnly(child, state)) keeps = true;
    else others.push(child);
  }
  if (keeps) for (const other of others) other.flags |= Flag.boilerplate;
  return keeps;
}

function commonAncestor(first: Element, second: Element): Element | undefined {
  for (let up: Element | undefined = first; up; up = up.parent) if (isWithin(second, up)) return up;
  return undefined;
}

function ancestorOf(element: Element, levels: number): Element | undefined {
  let up: Element = element;
  for (let level = 0; level < levels && up.parent && up.parent.tag !== 'html' && up.tag !== 'body'; level++)
    up = up.parent;
  return up;
}
