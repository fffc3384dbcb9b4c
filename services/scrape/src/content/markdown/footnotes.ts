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
import { looseNotes } from './unlinked-footnotes.ts';

const NOTE_ID =
  /^(?:user-content-)?(?:fn|fn[:-]|cite_note|footnote|endnote|note|_?ftn|_edn|ref|r|sn)[-_:.]?[\w.-]*$|^\d+$|footnote/i;
const REFERENCE = /footnote|cite_ref|fn-?ref|ftnref|noteref|reference|(?:^|\s)fn(?:\s|$)/i;
/** Labels references go by: a number, a letter or two, a sign. */
const LABEL = /^(?:\[?\w{1,4}\]?|\(\d+\)|[*†‡§]+)$/;

/** Among more siblings than this no side note is looked for. */
const NEIGHBOURS_CAP = 400;
const SIDENOTE = /(?:^|\s)(?:side-?note|margin-?note)(?=\s|$)/i;

/** A reference as it stands in the text, before it is known whether its note is on the page. */
interface Reference {
  element: Element;
  /** Ids its note may have, the likeliest first. */
  targets: string[];
  label: string;
}

/** The page's footnotes: which elements refer to one, and which define one. */
export class Footnotes {
  readonly #names = new Map<Element, string>();
  readonly #definitions = new Map<Element, string>();
  readonly #labels = new Map<Element, string>();
  readonly #referred = new Set<string>();
  readonly #written = new Set<Element>();
  readonly #echoes = new Set<Element>();
  readonly #taken = new Set<string>();

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
    for (const { reference, holder, label } of looseNotes(body, byId, this.#definitions)) {
      this.#define(holder, label);
      this.#names.set(reference, this.#definitions.get(holder) ?? label);
    }
  }

  /** The footnote's name where the element is a reference to one. */
  referenceOf(element: Element): string | undefined {
    const name = this.#names.size === 0 ? undefined : this.#names.get(element);
    if (name !== undefined) this.#referred.add(name);
    return name;
  }

  /** True for a note shown beside its reference that is written with the others. */
  isEcho(element: Element): boolean {
    return this.#echoes.size > 0 && this.#echoes.has(element);
  }

  /** The footnote's name where the element defines one. */
  definitionOf(element: Element): string | undefined {
    const name = this.#definitions.size === 0 ? undefined : this.#definitions.get(element);
    if (name !== undefined) this.#written.add(element);
    return name;
  }

  /** Notes that were referred to and not written. */
  missing(): [Element, string][] {
    return [...this.#definitions].filter(
      ([holder, name]) =>
        this.#referred.has(name) && !this.#written.has(holder) && !inheritsFlag(holder, Flag.excluded),
    );
  }

  /** What the note calls itself at its own beginning. */
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
    if (siblings.length > NEIGHBOURS_CAP) return;
    for (const sibling of siblings.slice(siblings.indexOf(element) + 1).slice(0, 3))
      if (isElement(sibling) && SIDENOTE.test(sibling.attributes['class'] ?? '')) this.#echoes.add(sibling);
  }

  #define(holder: Element, label: string): void {
    if (this.#definitions.has(holder)) return;
    const isName = /^[\w†‡-]{1,12}$/.test(label) && !this.#taken.has(label);
    const name = isName ? label : String(this.#definitions.size + 1);
    this.#taken.add(name);
    this.#definitions.set(holder, name);
    this.#labels.set(holder, label);
  }
}

/** Elements by their id; links by their name too. */
function idsIn(root: Element): Map<string, Element> {
  const byId = new Map<string, Element>();
  walk(root, (element) => {
    const id = element.attributes['id'] ?? (element.tag === 'a' ? element.attributes['name'] : undefined);
    if (id && !byId.has(id) && element.tag !== 'input') byId.set(id, element);
    return undefined;
  });
  return byId;
}

/** A superscript or bracketed number that links to a note on the same page. */
function referenceIn(element: Element): Reference | undefined {
  const { attributes, tag } = element;
  if (tag === 'label') {
    const target = attributes['for'];
    const label = /foot|note/i.test(attributes['class'] ?? '') ? collapseSpaces(rawText(element, 12)) : '';
    return target && LABEL.test(label) ? { element, targets: [target], label } : undefined;
  }
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

/** The id a reference leads to; scripts that scroll there leave only the reference's own. */
function targetOf(link: Element): string | undefined {
  const { href, id } = link.attributes;
  const hash = href?.indexOf('#') ?? -1;
  if (href && hash !== -1 && hash < href.length - 1) return href.slice(hash + 1);
  const isScripted = href === undefined || href === '#' || href.startsWith('javascript:');
  return isScripted && id && /^(?:footnote|fn|note)-?ref[-_:.]?\w/i.test(id) ? id.replace(/-?ref/i, '') : undefined;
}

/** The id by which a note leads back, where only its back link says which note it is, as word processors write it. */
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

/** The list item or block that an id stands for, itself or around a bare anchor. */
function definitionAround(target: Element): Element | undefined {
  let element: Element | undefined = target;
  for (let steps = 0; element && steps < 5; steps++, element = element.parent) {
    if (['li', 'p', 'div', 'aside', 'dd', 'section'].includes(element.tag))
      return element.words > 400 ? undefined : element;
  }
  return undefined;
}

/** The arrow at a note's end that leads back to the text. */
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
