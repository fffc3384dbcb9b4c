import { collapse, type Element, lineOf, rawText, walk } from './tree.ts';

const NOTE_ID =
  /^(?:user-content-)?(?:fn|fn[:-]|cite_note|footnote|endnote|note|_?ftn|_edn|ref|r|sn)[-_:.]?[\w.-]*$|^\d+$|footnote/i;
const REFERENCE = /footnote|cite_ref|fnref|ftnref|noteref|reference/i;

/** The page's footnotes: which links refer to one, and which elements define one. */
export class Footnotes {
  readonly #names = new Map<string, string>();
  readonly #definitions = new Map<Element, string>();

  constructor(root: Element) {
    const references: { id: string; label: string }[] = [];
    const byId = new Map<string, Element>();
    walk(root, (element) => {
      const id = element.attributes['id'] ?? (element.tag === 'a' ? element.attributes['name'] : undefined);
      if (id && !byId.has(id)) byId.set(id, element);
      const target = element.tag === 'a' ? referenceTarget(element) : undefined;
      if (target) references.push({ id: target, label: collapse(rawText(element, 40)) });
      return undefined;
    });
    for (const { id, label } of references) this.#add(id, label, byId.get(id));
  }

  /** The footnote's name where the link is a reference to one. */
  referenceOf(link: Element): string | undefined {
    if (this.#names.size === 0 || link.tag !== 'a') return undefined;
    const target = referenceTarget(link);
    return target ? this.#names.get(target) : undefined;
  }

  /** The footnote's name where the element defines one. */
  definitionOf(element: Element): string | undefined {
    return this.#definitions.size === 0 ? undefined : this.#definitions.get(element);
  }

  #add(id: string, label: string, target: Element | undefined): void {
    if (!target || this.#names.has(id)) return;
    const holder = definitionAround(target);
    if (!holder || lineOf(holder, 10) === '' || this.#definitions.has(holder)) return;
    const number = label.replace(/[[\]()]/g, '');
    const name = /^[\w*†‡-]{1,12}$/.test(number) ? number : String(this.#names.size + 1);
    this.#names.set(id, name);
    this.#definitions.set(holder, name);
  }
}

/** A superscript or bracketed number that links to a note on the same page. */
function referenceTarget(link: Element): string | undefined {
  const href = link.attributes['href'];
  const hash = href?.indexOf('#') ?? -1;
  if (!href || hash === -1) return undefined;
  const id = href.slice(hash + 1);
  if (id === '' || (!NOTE_ID.test(id) && !REFERENCE.test(link.attributes['class'] ?? ''))) return undefined;
  if (isBackLink(link)) return undefined;
  const label = collapse(rawText(link, 12));
  if (!/^(?:\[?\w{1,4}\]?|\(\d+\)|[*†‡§]+)$/.test(label)) return undefined;
  const around = link.parent;
  const raised =
    around?.tag === 'sup' || link.children.some((child) => typeof child !== 'string' && child.tag === 'sup');
  const marked = REFERENCE.test(
    `${link.attributes['class'] ?? ''} ${link.attributes['id'] ?? ''} ${link.attributes['role'] ?? ''} ${around?.attributes['class'] ?? ''}`,
  );
  const anchored = link.attributes['id'] !== undefined || link.attributes['name'] !== undefined;
  return raised || marked || anchored || /^\[\d+\]$/.test(label) ? id : undefined;
}

/** The list item or block that an id stands for, itself or around a bare anchor. */
function definitionAround(target: Element): Element | undefined {
  let element: Element | undefined = target;
  for (let steps = 0; element && steps < 4; steps++, element = element.parent) {
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
