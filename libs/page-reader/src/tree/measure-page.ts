import { areApart } from './adjacent-elements.ts';
import { countText } from './count-words.ts';
import { showPanels } from './hidden-panels.ts';
import { Hint, hintsOf } from './name-hints.ts';
import { type Element, Flag, findFirst, isBlock, NO_ATTRIBUTES, type Page } from './page-tree.ts';
import { FEW_WORDS, NOSCRIPT_CHILDREN } from './thresholds.ts';

/** Elements that are never rendered, whatever their style. */
const NOT_RENDERED_TAGS = new Set(
  'script style template head title meta link base svg iframe object embed applet canvas audio video map datalist noembed noframes select option'.split(
    ' ',
  ),
);
// Matches the whole property name: `--menu-display: none` hides nothing.
const HIDDEN_STYLE = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

const VISIBILITY_HIDDEN = /(?:^|[;\s])visibility\s*:\s*hidden/i;

/** How visibility is determined: with or without scripts, with or without inline styles. */
export interface MeasureOptions {
  showsNoscript: boolean;
  /** False: `visibility: hidden` is ignored, for pages that hide themselves until their scripts have run. */
  appliesStyles: boolean;
  /** Receives the outermost elements that an attribute hides. */
  hidden: Element[];
  /** An element that is measured although an attribute hides it. */
  shown?: Element;
  /** Hints of all elements measured so far. */
  hints: number;
}

/**
 * Measures a page. If it has few visible words, measures again with noscript content, or without hidden styles, and
 * keeps the measurement that finds clearly more words.
 */
export function measurePage(page: Page): void {
  const options: MeasureOptions = { showsNoscript: false, appliesStyles: true, hidden: [], hints: 0 };
  measure(page.root, options);
  page.hints = options.hints;
  if (page.body.words < FEW_WORDS && showsMore(page, options)) return;
  showPanels(page.body, options.hidden, (panel) => {
    const hidden: Element[] = [];
    measure(panel, { ...options, hidden, shown: panel });
    return hidden;
  });
}

/** Measures a page again with noscript content or without hidden styles. Returns false if that finds little more. */
function showsMore(page: Page, options: MeasureOptions): boolean {
  const { words } = page.body;
  const showsNoscript =
    findFirst(page.body, (element) => element.tag === 'noscript' && element.children.length > NOSCRIPT_CHILDREN) !==
    undefined;
  const appliesStyles =
    findFirst(page.body, (element) => VISIBILITY_HIDDEN.test(element.attributes['style'] ?? '')) === undefined;
  if (!showsNoscript && appliesStyles) return false;
  measure(page.root, { ...options, showsNoscript, appliesStyles, hidden: [] });
  if (page.body.words >= words * 2 + FEW_WORDS) return true;
  options.hidden.length = 0;
  measure(page.root, options);
  return false;
}

function clear(element: Element): void {
  element.flags = 0;
  element.words = 0;
  element.linkWords = 0;
  element.punctuation = 0;
  element.ownWords = 0;
  element.ownPunctuation = 0;
}

const isOrHasBlock = ({ flags, tag }: Element): boolean => (flags & Flag.hasBlock) !== 0 || isBlock(tag);

function markIfApart(element: Element, before: Element | undefined): void {
  if (before !== undefined && areApart(before, element)) element.flags |= Flag.apart;
}

/**
 * Walks the tree once, bottom-up. Sets visibility, hints, and the counts of words, link words and punctuation of every
 * element.
 */
function measure(start: Element, options: MeasureOptions): void {
  clear(start);
  if (start !== options.shown && isNotRendered(start, options)) {
    start.flags = Flag.notRendered;
    return;
  }
  start.hints = hintsOf(start.attributes);
  options.hints |= start.hints;
  if ((start.hints & Hint.hidden) !== 0 && start.tag !== 'body') start.flags |= Flag.notRendered;
  let words = 0;
  let linkWords = 0;
  let punctuation = 0;
  let hasBlock = false;
  /** The inline element with text that ends where the next child starts. */
  let before: Element | undefined;
  for (const child of start.children) {
    if (typeof child === 'string') {
      before = undefined;
      const counts = countText(child);
      start.ownWords += counts.words;
      start.ownPunctuation += counts.punctuation;
      continue;
    }
    measure(child, options);
    if ((child.flags & Flag.notRendered) !== 0) continue;
    words += child.words;
    linkWords += child.linkWords;
    punctuation += child.punctuation;
    if (isOrHasBlock(child)) {
      hasBlock = true;
      before = undefined;
    } else if (child.words > 0) {
      markIfApart(child, before);
      before = child;
    }
  }
  start.words = words + start.ownWords;
  start.linkWords = linkWords;
  start.punctuation = punctuation + start.ownPunctuation;
  if (hasBlock) start.flags |= Flag.hasBlock;
  if (start.tag === 'a') start.linkWords = start.words;
}

function isNotRendered(element: Element, options: MeasureOptions): boolean {
  const { tag, attributes } = element;
  if (tag === 'noscript') return !options.showsNoscript;
  if (NOT_RENDERED_TAGS.has(tag)) return !(tag === 'template' && attributes['shadowrootmode'] !== undefined);
  if (attributes === NO_ATTRIBUTES) return tag === 'dialog';
  if (tag === 'body' || tag === 'html') return false;
  const hidden = attributes['hidden'];
  // React streams content into hidden boxes with ids S:0, S:1 and so on; its scripts then move them into place.
  const style = attributes['style'];
  const isHidden =
    (hidden !== undefined && hidden !== 'until-found' && !/^S:\d+$/.test(attributes['id'] ?? '')) ||
    (style !== undefined && HIDDEN_STYLE.test(style) && (options.appliesStyles || !VISIBILITY_HIDDEN.test(style)));
  if (isHidden && element.children.length > 0) options.hidden.push(element);
  if (isHidden) return true;
  return tag === 'dialog' && attributes['open'] === undefined;
}
