import { encode } from 'entities';
import { imageOf } from '../links/image-source.ts';
import type { UrlResolver } from '../links/url-resolver.ts';
import { type Element, Flag, isBlock } from '../tree/page-tree.ts';
import { formulaOf } from './formula.ts';

/** Elements that are written. All others are unwrapped: only their content is written. */
const ALLOWED = new Set(
  (
    'a abbr address article aside b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em ' +
    'figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li main mark nav ol p pre q rp rt ruby s samp ' +
    'section small span strike strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr'
  ).split(' '),
);
/** Elements that are omitted with their content: active, foreign or form content. */
const REMOVED = new Set(
  (
    'script style template noscript head title meta link base svg iframe frame frameset object embed applet canvas audio video ' +
    'source track map area datalist noembed noframes plaintext xmp select option optgroup button input textarea param portal'
  ).split(' '),
);
const VOID = new Set(['br', 'hr', 'img', 'col', 'wbr']);
const ATTRIBUTES: Readonly<Record<string, readonly string[]>> = {
  td: ['colspan', 'rowspan', 'align'],
  th: ['colspan', 'rowspan', 'align'],
  col: [],
  ol: ['start', 'reversed'],
  li: ['value'],
  time: ['datetime'],
  abbr: ['title'],
};
/** Class names are kept on code only, where they name the language. */
const CODE = new Set(['code', 'pre']);

/**
 * Writes the content as HTML that is safe to display. Only allow-listed elements and attributes are written from
 * the tree; no markup of the page is copied. SVG is dropped and MathML becomes TeX, so that no foreign content is left
 * for a second parser to interpret differently.
 */
export function toCleanHtml(roots: readonly Element[], skip: number, urls: UrlResolver): string {
  const writer = new CleanWriter(skip, urls);
  for (const root of roots) writer.root(root);
  return writer.finish();
}

class CleanWriter {
  readonly #skip: number;
  readonly #urls: UrlResolver;
  #out = '';

  constructor(skip: number, urls: UrlResolver) {
    this.#skip = skip;
    this.#urls = urls;
  }

  finish(): string {
    return this.#out.replace(/\n\s*\n\s*/g, '\n').trim();
  }

  /** The body itself is not written, only its children. */
  root(root: Element): void {
    if (root.tag === 'body') this.#children(root);
    else this.element(root);
  }

  element(element: Element): void {
    const { tag } = element;
    const math = formulaOf(element);
    if (math !== undefined) {
      this.#out += `<code>${escapeText(math)}</code>`;
      return;
    }
    if ((REMOVED.has(tag) && (element.flags & Flag.label) === 0) || (element.flags & this.#skip) !== 0) return;
    if (tag === 'img') this.#image(element);
    else if (!ALLOWED.has(tag)) this.#unwrapped(element);
    else if (VOID.has(tag)) this.#out += `<${tag}>`;
    else this.#kept(element);
  }

  #kept(element: Element): void {
    const { tag } = element;
    this.#out += `<${tag}${this.#attributes(element)}>`;
    this.#children(element);
    this.#out += `</${tag}>`;
  }

  #unwrapped(element: Element): void {
    const apart = isBlock(element.tag) || (element.flags & Flag.hasBlock) !== 0;
    if (apart) this.#out += '<div>';
    this.#children(element);
    if (apart) this.#out += '</div>';
  }

  #children(element: Element): void {
    for (const child of element.children) {
      if (typeof child === 'string') this.#out += escapeText(child);
      else this.element(child);
    }
  }

  #image(element: Element): void {
    const found = imageOf(element, this.#urls);
    if (found) this.#out += `<img src="${escapeQuoted(found.src)}" alt="${escapeQuoted(found.alt)}">`;
  }

  #attributes(element: Element): string {
    let written = '';
    const { tag, attributes } = element;
    if (tag === 'a') {
      const url = this.#urls.link(attributes['href']);
      if (url) written += ` href="${escapeQuoted(url)}" rel="nofollow noopener noreferrer"`;
    }
    for (const name of ATTRIBUTES[tag] ?? []) {
      const value = attributes[name];
      if (value !== undefined) written += ` ${name}="${escapeQuoted(value.slice(0, 500))}"`;
    }
    const className = attributes['class'];
    const language =
      CODE.has(tag) && className ? /\b(?:language|lang)-[\w+#.-]{1,40}/i.exec(className)?.[0] : undefined;
    if (language) written += ` class="${escapeQuoted(language)}"`;
    const { lang, dir } = attributes;
    if (lang && /^[\w-]{1,35}$/.test(lang)) written += ` lang="${lang}"`;
    if (dir === 'rtl' || dir === 'ltr' || dir === 'auto') written += ` dir="${dir}"`;
    return written;
  }
}

const escapeText = (text: string): string => (/[&<>]/.test(text) ? text.replace(/[&<>]/g, entity) : text);
const escapeQuoted = (text: string): string => (/[&<>"'`]/.test(text) ? text.replace(/[&<>"'`]/g, entity) : text);
const entity = (mark: string): string =>
  mark === '&' ? '&amp;' : mark === '<' ? '&lt;' : mark === '>' ? '&gt;' : encode(mark);
