import { makeOf } from './make-of.ts';
import { type Element, Flag, findFirst, isBlock, isElement, isInside } from './page-tree.ts';

/** Hidden elements of a page that are examined. */
const HIDDEN_CAP = 500;
const SIBLINGS_CAP = 200;
/** A panel with fewer words, or with more of them in links, is a menu, a message or a label. */
const PANEL_WORDS = 20;
const LINK_SHARE = 0.3;
const PUNCTUATION = 2;
/** Words of the label of a tab. */
const LABEL_WORDS = 6;
/** Elements around a list of labels. */
const WRAPPERS = 3;
const OUTSIDE_TAGS = new Set(['nav', 'header', 'footer', 'aside', 'dialog', 'form', 'menu']);
const CONTROL_TAGS = new Set(['form', 'input', 'textarea', 'button']);

/**
 * Shows the hidden panels of a page that a reader can open: boxes with prose after a list of labels, one for each box of
 * their make. Dialogs, forms and parts of the page's frame stay hidden. `measure` measures an element that is hidden.
 */
export function showPanels(hidden: readonly Element[], measure: (panel: Element) => void): void {
  const candidates = hidden.slice(0, HIDDEN_CAP).filter((element) => mayBePanel(element));
  for (const panel of candidates) {
    measure(panel);
    if (isProse(panel)) addToAncestors(panel);
    else panel.flags = Flag.notRendered;
  }
}

function mayBePanel(element: Element): boolean {
  const { tag, attributes, parent } = element;
  if (!isBlock(tag) || OUTSIDE_TAGS.has(tag) || attributes['aria-modal'] || /dialog/.test(attributes['role'] ?? ''))
    return false;
  if (!parent || parent.children.length > SIBLINGS_CAP) return false;
  const siblings = parent.children.filter(isElement);
  const panels = siblings.filter((sibling) => makeOf(sibling) === makeOf(element));
  if (isInside(element, OUTSIDE_TAGS)) return false;
  if (attributes['class'] && panels.length === siblings.length && panels.filter(({ words }) => words > 0).length === 1)
    return true;
  const before = siblings[siblings.indexOf(panels[0] ?? element) - 1] ?? siblingBefore(parent);
  return before !== undefined && labelsIn(before) >= panels.length;
}

function siblingBefore(element: Element): Element | undefined {
  const siblings = element.parent?.children ?? [];
  if (siblings.length > SIBLINGS_CAP) return undefined;
  return siblings.slice(0, siblings.indexOf(element)).findLast(isElement);
}

/** Returns the number of labels in a list of short labels, or 0. */
function labelsIn(before: Element): number {
  let list = before;
  for (let level = 0; level < WRAPPERS && !isList(list); level++) {
    const [only, ...others] = shownIn(list);
    if (!only || others.length > 0) return 0;
    list = only;
  }
  const labels = isList(list) ? shownIn(list) : [];
  return labels.every((label) => label.words <= LABEL_WORDS && !leavesPage(label)) ? labels.length : 0;
}

const leavesPage = (label: Element): boolean =>
  findFirst(label, ({ tag, attributes }) => tag === 'a' && !/^(?:#|javascript:|$)/i.test(attributes['href'] ?? '')) !==
  undefined;

const isList = ({ tag, attributes }: Element): boolean =>
  tag === 'ul' || tag === 'ol' || attributes['role'] === 'tablist';

const shownIn = ({ children }: Element): Element[] => children.filter(isElement).filter(({ words }) => words > 0);

const isProse = (panel: Element): boolean =>
  panel.words >= PANEL_WORDS &&
  panel.punctuation >= PUNCTUATION &&
  panel.linkWords < panel.words * LINK_SHARE &&
  !isTeaser(panel) &&
  findFirst(panel, ({ tag }) => CONTROL_TAGS.has(tag)) === undefined;

/** True for a box whose first line is a link, such as a slide. */
function isTeaser(panel: Element): boolean {
  let first: Element | undefined = panel;
  while (first && first.tag !== 'a' && first.ownWords === 0) first = shownIn(first)[0];
  return first?.tag === 'a';
}

function addToAncestors(panel: Element): void {
  for (let up = panel.parent; up; up = up.parent) {
    up.words += panel.words;
    up.linkWords += panel.linkWords;
    up.punctuation += panel.punctuation;
    up.flags |= Flag.hasBlock;
  }
}
