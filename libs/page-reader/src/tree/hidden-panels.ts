import { makeOf } from './make-of.ts';
import {
  type Attributes,
  type Element,
  Flag,
  findFirst,
  isBlock,
  isElement,
  isInside,
  NO_ATTRIBUTES,
  walk,
} from './page-tree.ts';
import {
  HIDDEN_CAP,
  LABEL_WORDS,
  LINK_SHARE,
  MENU_SHARE,
  PANEL_WORDS,
  PUNCTUATION,
  SIBLINGS_CAP,
  WRAPPERS,
} from './thresholds.ts';

const OUTSIDE_TAGS = new Set(['nav', 'header', 'footer', 'aside', 'dialog', 'form', 'menu']);
const OUTSIDE_ROLE = /dialog|^(?:menu|menubar|listbox|tooltip|navigation|search|banner|contentinfo|alert)$/;
/** Values of Bootstrap's attribute, as opposed to `modal`, `dropdown`, `offcanvas`. */
const PANEL_TOGGLE = /^(?:collapse|tab|pill|list)$/;
const NO_IDS: readonly string[] = [];
const FIELD_TAGS = new Set(['form', 'input', 'textarea']);
const CONTROL_TAGS = new Set([...FIELD_TAGS, 'button']);

/**
 * Shows the hidden panels of a page that a reader can open: those that a control names, and boxes with prose after a list of labels,
 * one for each box of their make. Dialogs, menus, forms and parts of the page's frame stay hidden.
 * @param measure measures an element that is hidden, and returns the hidden elements inside it
 */
export function showPanels(body: Element, hidden: readonly Element[], measure: (panel: Element) => Element[]): void {
  let round = hidden.filter(isBox).slice(0, HIDDEN_CAP);
  if (round.length === 0) return;
  const controlled = new Set<string>();
  addControlledIds(body, controlled);
  let left = HIDDEN_CAP;
  while (round.length > 0 && left > 0) {
    const panels = round.slice(0, left).filter((element) => isControlled(element, controlled) || mayBePanel(element));
    left -= round.length;
    round = panels.flatMap((panel) => {
      const inside = measure(panel);
      const isShown = isControlled(panel, controlled) ? isText(panel) : isProse(panel);
      if (!isShown) {
        panel.flags = Flag.notRendered;
        return [];
      }
      addToAncestors(panel);
      addControlledIds(panel, controlled);
      return inside.filter(isBox);
    });
  }
}

/** True for a box in the content, other than a dialog. */
function isBox(element: Element): boolean {
  const { tag, attributes } = element;
  if (!isBlock(tag) || OUTSIDE_TAGS.has(tag) || attributes['aria-modal'] || OUTSIDE_ROLE.test(attributes['role'] ?? ''))
    return false;
  return !isInside(element, OUTSIDE_TAGS);
}

/** Adds the ids of the elements that visible controls below open. */
function addControlledIds(start: Element, ids: Set<string>): void {
  walk(start, ({ tag, attributes, flags }) => {
    if ((flags & Flag.notRendered) !== 0 || OUTSIDE_TAGS.has(tag)) return false;
    if (attributes !== NO_ATTRIBUTES) for (const id of idsControlledBy(attributes)) ids.add(id);
    return undefined;
  });
}

/** https://www.w3.org/TR/wai-aria-1.2/#aria-controls and the attributes that Bootstrap uses */
function idsControlledBy(attributes: Attributes): readonly string[] {
  const popup = attributes['aria-haspopup'];
  const toggle = attributes['data-bs-toggle'] ?? attributes['data-toggle'];
  if ((popup !== undefined && popup !== 'false') || (toggle !== undefined && !PANEL_TOGGLE.test(toggle))) return NO_IDS;
  const controls = attributes['aria-controls'];
  if (controls !== undefined) return controls.split(/\s+/);
  if (toggle === undefined && attributes['role'] !== 'tab') return NO_IDS;
  const target = attributes['data-bs-target'] ?? attributes['data-target'] ?? attributes['href'] ?? '';
  return target.startsWith('#') ? [target.slice(1)] : NO_IDS;
}

const isControlled = ({ attributes }: Element, controlled: ReadonlySet<string>): boolean =>
  attributes['role'] === 'tabpanel' || controlled.has(attributes['id'] ?? '');

function mayBePanel(element: Element): boolean {
  const { attributes, parent } = element;
  if (!parent || parent.children.length > SIBLINGS_CAP) return false;
  const siblings = parent.children.filter(isElement);
  const panels = siblings.filter((sibling) => makeOf(sibling) === makeOf(element));
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

/** True for a panel with text, as opposed to a menu and a form. */
function isText(panel: Element): boolean {
  if (panel.words === 0 || panel.linkWords > panel.words * MENU_SHARE) return false;
  return panel.words >= PANEL_WORDS || findFirst(panel, ({ tag }) => FIELD_TAGS.has(tag)) === undefined;
}

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
