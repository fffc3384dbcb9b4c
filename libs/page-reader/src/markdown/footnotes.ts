import {
  collapseSpaces,
  type Element,
  Flag,
  inheritsFlag,
  isElement,
  isWithin,
  type Page,
  rawText,
  visibleLine,
  walk,
} from '../tree/page-tree.ts';
import { FOOTNOTES_NEIGHBOURS_CAP, NOTE_LEVELS, NOTE_WORDS } from './thresholds.ts';
import { findUnlinkedNotes } from './unlinked-footnotes.ts';

const NOTE_ID =
  /^(?:user-content-)?(?:fn|fn[:-]|cite_note|footnote|endnote|note|_?ftn|_edn|ref|r|sn)[-_:.]?[\w.-]*$|^\d+$|footnote/i;
const REFERENCE = /footnote|cite_ref|fn-?ref|ftnref|noteref|reference|(?:^|\s)fn(?:\s|$)/i;
/** Labels of references: a number, up to four letters, or a symbol. */
const LABEL = /^(?:\[?\w{1,4}\]?|\(\d+\)|[*†‡§]+)$/;

const SIDENOTE = /(?:^|\s)(?:side-?note|margin-?note)(?=\s|$)/i;

/** A reference in the text. Its note may or may not be on the page. */
interface Reference {
  element: Element;
  /** Ids that its note may have, most likely first. */
  targets: string[];
  label: string;
}

/** Indexes the page's footnotes: the elements that refer to a note, and those that define one. */
export class Footnotes {
  readonly #names = new Map<Element, string>();
  readonly #definitions = new Map<Element, string>();
  readonly #labels = new Map<Element, string>();
  readonly #referred = new Set<string>();
  readonly #written = new Set<Element>();
  readonly #duplicates = new Set<Element>();
  readonly #usedNames = new Set<string>();

  constructor({ body, indexed }: Page) {
    const references: Reference[] = [];
    const backLinks = new Map<string, Element>();
    for (const anchor of indexed.anchors) {
      const reference = referenceIn(anchor);
      if (reference) references.push(reference);
      else if (anchor.tag === 'a') addBackLink(anchor, backLinks);
    }
    if (references.length === 0 && indexed.superscripts.length === 0) return;
    const byId = idsIn(body);
    for (const reference of references) this.#add(reference, byId, backLinks);
    if (indexed.superscripts.length === 0) return;
    for (const { reference, holder, label } of findUnlinkedNotes(body, byId, this.#definitions)) {
      this.#define(holder, label);
      this.#names.set(reference, this.#definitions.get(holder) ?? label);
    }
  }

  /** Returns the footnote's name if the element is a reference. */
  referenceOf(element: Element): string | undefined {
    const name = this.#names.size === 0 ? undefined : this.#names.get(element);
    if (name !== undefined) this.#referred.add(name);
    return name;
  }

  /** True for a side note that duplicates a footnote. */
  isDuplicate(element: Element): boolean {
    return this.#duplicates.size > 0 && this.#duplicates.has(element);
  }

  /** Returns the footnote's name if the element defines one. */
  definitionOf(element: Element): string | undefined {
    const name = this.#definitions.size === 0 ? undefined : this.#definitions.get(element);
    if (name !== undefined) this.#written.add(element);
    return name;
  }

  /** Returns the notes that were referred to and not written. */
  missing(): [Element, string][] {
    return [...this.#definitions].filter(
      ([holder, name]) =>
        this.#referred.has(name) && !this.#written.has(holder) && !inheritsFlag(holder, Flag.excluded),
    );
  }

  /** Returns the label that the note starts with. */
  labelOf(element: Element): string | undefined {
    return this.#labels.get(element);
  }

  #add({ element, targets, label }: Reference, byId: Map<string, Element>, backLinks: Map<string, Element>): void {
    const target = targets.map((id) => byId.get(id) ?? backLinks.get(id)).find((found) => found !== undefined);
    const holder = target && definitionAround(target);
    if (!holder || isWithin(element, holder) || visibleLine(holder, 10) === '') return;
    this.#define(holder, label.replace(/[[\]()]/g, ''));
    this.#names.set(element, this.#definitions.get(holder) ?? label);
    const siblings = element.parent?.children ?? [];
    if (siblings.length > FOOTNOTES_NEIGHBOURS_CAP) return;
    for (const sibling of siblings.slice(siblings.indexOf(element) + 1).slice(0, 3))
      if (isElement(sibling) && SIDENOTE.test(sibling.attributes['class'] ?? '')) this.#duplicates.add(sibling);
  }

  #define(holder: Element, label: string): void {
    if (this.#definitions.has(holder)) return;
    const isName = /^[\w†‡-]{1,12}$/.test(label) && !this.#usedNames.has(label);
    const name = isName ? label : String(this.#definitions.size + 1);
    this.#usedNames.add(name);
    this.#definitions.set(holder, name);
    this.#labels.set(holder, label);
  }
}

/** Maps ids to elements. A link's name counts as an id. */
function idsIn(root: Element): Map<string, Element> {
  const byId = new Map<string, Element>();
  walk(root, (element) => {
    const id = element.attributes['id'] ?? (element.tag === 'a' ? element.attributes['name'] : undefined);
    if (id && !byId.has(id) && element.tag !== 'input') byId.set(id, element);
    return undefined;
  });
  return byId;
}

/** Returns the reference if the label switches a side note on. */
function labelReference(element: Element): Reference | undefined {
  const { for: target, class: className = '' } = element.attributes;
  const label = /foot|note/i.test(className) ? collapseSpaces(rawText(element, 12)) : '';
  return target && LABEL.test(label) ? { element, targets: [target], label } : undefined;
}

/** Returns the reference if the element is a superscript or bracketed number that links to a note on the same page. */
function referenceIn(element: Element): Reference | undefined {
  const { attributes, tag } = element;
  if (tag === 'label') return labelReference(element);
  const target = tag === 'a' ? targetOf(element) : undefined;
  if (target === undefined || isBackLink(element)) return undefined;
  const label = collapseSpaces(rawText(element, 12));
  if (!LABEL.test(label)) return undefined;
  const raised = isRaised(element);
  const marked = REFERENCE.test(marksAround(element));
  const known = NOTE_ID.test(target) || marked || (raised && /\d/.test(target));
  const anchored = attributes['id'] !== undefined || attributes['name'] !== undefined;
  if (!known || !(raised || marked || anchored || /^\[\d+\]$/.test(label))) return undefined;
  return { element, targets: [target, backReference(target)], label };
}

/** Returns the id a reference links to. If a script handles the link, the id is derived from the reference's own. */
function targetOf(link: Element): string | undefined {
  const { href, id } = link.attributes;
  const hash = href?.indexOf('#') ?? -1;
  if (href && hash !== -1 && hash < href.length - 1) return href.slice(hash + 1);
  const isScripted = href === undefined || href === '#' || href.startsWith('javascript:');
  return isScripted && id && /^(?:footnote|fn|note)-?ref[-_:.]?\w/i.test(id) ? id.replace(/-?ref/i, '') : undefined;
}

/** Returns the id of the back link of a note that has no id itself, as word processors write it. */
const backReference = (target: string): string => target.replace(/^(_?(?:fn|ftn|edn))(?!ref)/i, '$1ref');

function addBackLink(link: Element, backLinks: Map<string, Element>): void {
  const { href } = link.attributes;
  if (href === undefined) return;
  const id = href.slice(href.indexOf('#') + 1);
  if (/^_?(?:fn|ftn|edn)ref/i.test(id) && !backLinks.has(id)) backLinks.set(id, link);
}

const isRaised = (link: Element): boolean =>
  link.parent?.tag === 'sup' || link.children.some((child) => isElement(child) && child.tag === 'sup');

function marksAround({ attributes, parent }: Element): string {
  const around = parent?.attributes;
  return [attributes['class'], attributes['id'], attributes['role'], around?.['class'], around?.['id']].join(' ');
}

/** Returns the list item or block that an id denotes: the target or an ancestor of a bare anchor. */
function definitionAround(target: Element): Element | undefined {
  let element: Element | undefined = target;
  for (let steps = 0; element && steps < NOTE_LEVELS; steps++, element = element.parent) {
    if (['li', 'p', 'div', 'aside', 'dd', 'section'].includes(element.tag))
      return element.words > NOTE_WORDS ? undefined : element;
  }
  return undefined;
}

/** True for the arrow at the end of a note that links back to the text. */
export function isBackLink(link: Element): boolean {
  const { href, class: className, role, rel } = link.attributes;
  if (
    role === 'doc-backlink' ||
    rel === 'footnote' ||
    /backlink|backref|reversefootnote|footnote-back/i.test(className ?? '')
  )
    return true;
  if (!href?.includes('#')) return false;
  return (
    /^(?:[↩↑^⏎↵⤴\s]|\ufe0e)+$/u.test(rawText(link, 8)) ||
    /#(?:fnref|fnanchor|cite_ref|_ftnref|_ednref|ftnt_ref|footnote-ref|ref-fn)/i.test(href)
  );
}
