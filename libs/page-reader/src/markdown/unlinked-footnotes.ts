import { collapseSpaces, type Element, isElement, isWithin, rawText, visibleLine, walk } from '../tree/page-tree.ts';
import { NOTE_CAP, NOTE_WORDS, UNLINKED_FOOTNOTES_NEIGHBOURS_CAP } from './thresholds.ts';

/** A superscript number and its note, not connected by a link. */
export interface UnlinkedNote {
  reference: Element;
  holder: Element;
  label: string;
}

const NOTES_NAME = /(?:^|[\s_-])(?:foot|end)notes?(?=$|[\s_-])/i;

/**
 * Finds notes whose references are plain superscript numbers. Accepted only if the notes stand together and are
 * numbered consecutively: below a rule, in a list of footnotes, or under ids that name notes. Otherwise x² would be a
 * reference.
 */
export function findUnlinkedNotes(
  root: Element,
  byId: ReadonlyMap<string, Element>,
  defined: ReadonlyMap<Element, string>,
): UnlinkedNote[] {
  const raised: { element: Element; label: string }[] = [];
  const lists: Element[] = [];
  const rules: Element[] = [];
  walk(root, (element) => {
    if (element.tag === 'hr') rules.push(element);
    else if (element.tag === 'ol' && isNotesList(element)) lists.push(element);
    else if (element.tag === 'sup' && raised.length < NOTE_CAP) {
      const label = raisedLabel(element);
      if (label) raised.push({ element, label });
    }
    return undefined;
  });
  if (raised.length === 0) return [];
  const notes = new Map<string, Element>();
  for (const list of lists) addItems(list, notes);
  for (const rule of rules.slice(-3)) addBelow(rule, notes);
  const used = new Set<string>();
  return raised.flatMap(({ element, label }) => {
    const holder = notes.get(label) ?? noteById(label, byId);
    if (!holder || defined.has(holder) || isWithin(element, holder) || holder.words > NOTE_WORDS) return [];
    if (used.has(label) && notes.get(label) === undefined) return [];
    used.add(label);
    return [{ reference: element, holder, label }];
  });
}

function raisedLabel(element: Element): string | undefined {
  if (element.children.some((child) => isElement(child) && child.tag === 'a')) return undefined;
  return /^\[?(\d{1,3})\]?$/.exec(collapseSpaces(rawText(element, 8)))?.[1];
}

function isNotesList(list: Element): boolean {
  const { parent } = list;
  if (NOTES_NAME.test(list.attributes['class'] ?? '') || NOTES_NAME.test(list.attributes['id'] ?? '')) return true;
  if (!parent) return false;
  if (NOTES_NAME.test(parent.attributes['class'] ?? '') || NOTES_NAME.test(parent.attributes['id'] ?? '')) return true;
  if (parent.children.length > UNLINKED_FOOTNOTES_NEIGHBOURS_CAP) return false;
  const before = parent.children.filter(isElement);
  const heading = before[before.indexOf(list) - 1];
  return (
    heading !== undefined && /^h[1-6]$/.test(heading.tag) && /^(?:foot|end)notes?$/i.test(visibleLine(heading, 20))
  );
}

function addItems(list: Element, notes: Map<string, Element>): void {
  const items = list.children.filter((child) => isElement(child)).filter((child) => child.tag === 'li');
  const start = Number.parseInt(list.attributes['start'] ?? '1', 10) || 1;
  for (const [at, item] of items.slice(0, NOTE_CAP).entries()) notes.set(String(start + at), item);
}

/** Adds paragraphs below a rule that start with the numbers 1, 2, 3, superscript or bold. */
function addBelow(rule: Element, notes: Map<string, Element>): void {
  const siblings = rule.parent?.children ?? [];
  let next = 1;
  for (const sibling of siblings.slice(siblings.indexOf(rule) + 1)) {
    if (!isElement(sibling) || (sibling.tag !== 'p' && sibling.tag !== 'div')) continue;
    if (leadingNumber(sibling) !== next) continue;
    notes.set(String(next), sibling);
    next++;
  }
}

function leadingNumber(block: Element): number | undefined {
  const first = block.children.find((child) => isElement(child) || child.trim() !== '');
  if (first === undefined || !isElement(first) || !['sup', 'strong', 'b'].includes(first.tag)) return undefined;
  const number = /^\[?(\d{1,3})\]?[.:)]?$/.exec(collapseSpaces(rawText(first, 8)))?.[1];
  return number === undefined ? undefined : Number(number);
}

function noteById(label: string, byId: ReadonlyMap<string, Element>): Element | undefined {
  for (const name of ['footnote-', 'footnote', 'fn-', 'fn:', 'fn', 'fn.', 'endnote-', 'note-']) {
    const found = byId.get(name + label);
    if (found && ['li', 'p', 'div', 'dd', 'aside'].includes(found.tag)) return found;
  }
  return undefined;
}
