import { imageOf } from '../links/image-source.ts';
import type { UrlResolver } from '../links/url-resolver.ts';
import { codeText } from '../output/code-text.ts';
import { isMathEcho, mathOf } from '../output/formula.ts';
import {
  type Element,
  Flag,
  findFirst,
  isBlock,
  isElement,
  rawText,
  type TreeNode,
  visibleLine,
} from '../tree/page-tree.ts';
import type { Captions } from './captions.ts';
import { codeSpan, escapeInline, linkTarget } from './escape-markdown.ts';
import { type Footnotes, isBackLink } from './footnotes.ts';
import { InlineLine } from './inline-line.ts';

/** What is written, and where its addresses lead. */
export interface MarkdownScope {
  urls: UrlResolver;
  /** Elements with any of these marks are left out. */
  skip: number;
  roots: readonly Element[];
}

const EMPHASIS: Readonly<Record<string, string>> = {
  b: '**',
  strong: '**',
  i: '_',
  em: '_',
  del: '~~',
  s: '~~',
  strike: '~~',
};
/** Siblings among which a noscript's picture is looked for. */
const NEIGHBOURS_CAP = 40;
const LEAVES = new Set('button input select textarea svg iframe object video audio canvas rt rp'.split(' '));
const CODE = new Set(['code', 'kbd', 'samp', 'tt']);
const ENCLOSED: Readonly<Record<string, readonly [string, string]>> = {
  q: ['"', '"'],
  sub: ['<sub>', '</sub>'],
  sup: ['<sup>', '</sup>'],
};
const PERMALINK =
  /(?:^|[\s_-])(?:headerlink|header-?anchor|heading-?anchor|anchor(?:-?link)?|permalink|hash-link|heading-link|octicon-link|direct-link)(?=$|[\s_-])/i;

/** Writes inline content, phrase by phrase, into the current line. */
export class InlineMarkdown {
  line = new InlineLine();
  /** The address of a link around blocks: given to the first line of text inside it. */
  cardLink: string | undefined;
  /** A footnote's own number: left out where the note begins with it. */
  leading: string | undefined;
  readonly #scope: MarkdownScope;
  readonly #notes: Footnotes;
  readonly #captions: Captions;
  readonly #styles = new Set<string>();
  #inTable = false;
  #inHeading = false;

  constructor(scope: MarkdownScope, notes: Footnotes, captions: Captions) {
    this.#captions = captions;
    this.#scope = scope;
    this.#notes = notes;
  }

  /** True where the element is not written; a script may still hold a formula. */
  leaves(element: Element): boolean {
    if (element.tag === 'script') return mathOf(element) === undefined;
    if (element.tag === 'noscript' && (element.flags & Flag.notRendered) !== 0) return !holdsPicture(element);
    return (element.flags & this.#scope.skip) !== 0 || this.#captions.has(element);
  }

  /** A heading on one line; its links to its own place on the page are only permalinks. */
  heading(element: Element): string {
    this.#inHeading = true;
    const text = this.apart(() => this.withCardLink(() => this.all(element.children)));
    this.#inHeading = false;
    return text;
  }

  text(written: string): void {
    const text = this.leading === undefined ? written : this.#withoutLeading(written);
    const escaped = escapeInline(text);
    this.line.add(this.#inTable ? escaped.replaceAll('|', '\\|') : escaped);
  }

  /** What `inner` writes, as one line of its own. */
  apart(inner: () => void): string {
    const outer = this.line;
    this.line = new InlineLine();
    inner();
    const text = this.line.take().replace(/\s*\n\s*/g, ' ');
    this.line = outer;
    return text;
  }

  /** A table cell on one line: its blocks are apart by a space. */
  cell(cell: Element): string {
    this.#inTable = true;
    const text = this.apart(() => this.#cellContent(cell.children));
    this.#inTable = false;
    return text;
  }

  all(children: readonly TreeNode[]): void {
    for (const child of children) {
      if (typeof child === 'string') this.text(child);
      else if (!this.leaves(child)) this.one(child);
    }
  }

  one(element: Element): void {
    const { tag } = element;
    if (LEAVES.has(tag) || this.#notes.isEcho(element)) return;
    if (this.leading !== undefined && this.#isLeading(element)) return;
    const note = this.#notes.referenceOf(element);
    const math = mathOf(element);
    if (tag === 'noscript' && (element.flags & Flag.notRendered) !== 0) this.#pictureWithoutScripts(element);
    else if (note !== undefined) this.line.add(`[^${note}]`);
    else if (math !== undefined) this.line.add(math);
    else if (EMPHASIS[tag] !== undefined) this.emphasis(EMPHASIS[tag], element);
    else if (tag === 'br') this.line.break();
    else if (tag === 'a') this.#link(element);
    else if (tag === 'img') this.#image(element);
    else if (CODE.has(tag)) this.line.add(codeSpan(codeText(element)));
    else if (!isMathEcho(element)) this.#plain(element);
  }

  emphasis(style: string, element: Element): void {
    if (this.#styles.has(style)) this.all(element.children);
    else this.line.enclose(style, style, () => this.styled(style, () => this.all(element.children)));
  }

  styled(style: string, inner: () => void): void {
    const added = !this.#styles.has(style);
    this.#styles.add(style);
    inner();
    if (added) this.#styles.delete(style);
  }

  /** Writes `inner` as the text of the pending card link, where there is one. */
  withCardLink(inner: () => void): void {
    const url = this.cardLink;
    this.cardLink = undefined;
    if (url) this.line.enclose('[', `](${linkTarget(url)})`, () => this.styled('[', inner));
    else inner();
  }

  #withoutLeading(text: string): string {
    if (text.trim() === '' || this.leading === undefined) return text;
    const bare = text.trimStart().replace(/^[[(]/, '');
    const { leading } = this;
    this.leading = undefined;
    return bare.startsWith(leading) && /^(?:[\])][.:]?|[.:)])\s/.test(bare.slice(leading.length))
      ? bare.slice(leading.length).replace(/^[\]).:]+\s*/, '')
      : text;
  }

  /** The raised, bold or linked number at a note's beginning. */
  #isLeading(element: Element): boolean {
    const text = visibleLine(element, 16);
    if (text === '') return false;
    const isNumber = text.replace(/^[[(]|[\]).:]+$/g, '') === this.leading;
    if (isNumber) this.leading = '';
    return isNumber;
  }

  #plain(element: Element): void {
    const flags = ENCLOSED[element.tag];
    const raisedLink = element.tag === 'sup' && element.children.some((child) => isElement(child) && child.tag === 'a');
    if (flags && !raisedLink) this.line.enclose(flags[0], flags[1], () => this.all(element.children));
    else this.all(element.children);
  }

  #link(link: Element): void {
    if (isBackLink(link) || isPermalink(link)) return;
    const isPlain = this.#styles.has('[') || (this.#inHeading && link.attributes['href']?.startsWith('#'));
    const url = isPlain ? undefined : this.#scope.urls.link(link.attributes['href']);
    if (url) this.line.enclose('[', `](${linkTarget(url)})`, () => this.styled('[', () => this.all(link.children)));
    else this.all(link.children);
  }

  #image(image: Element): void {
    const found = imageOf(image, this.#scope.urls);
    const alt = this.#captions.of(image) ?? found?.alt ?? '';
    if (found) this.line.add(`![${alt.replace(/[[\]]/g, '\\$&')}](${linkTarget(found.src)})`);
  }

  /** A lazy picture's real address, kept for browsers without scripts. */
  #pictureWithoutScripts(noscript: Element): void {
    const picture = findFirst(noscript, (inner) => inner.tag === 'img');
    const siblings = noscript.parent?.children ?? [];
    const isShown = siblings.slice(0, NEIGHBOURS_CAP).some((sibling) => {
      if (!isElement(sibling) || sibling === noscript) return false;
      const image = sibling.tag === 'img' ? sibling : findFirst(sibling, (inner) => inner.tag === 'img');
      return image !== undefined && imageOf(image, this.#scope.urls) !== undefined;
    });
    if (picture && !isShown) this.#image(picture);
  }

  #cellContent(children: readonly TreeNode[]): void {
    for (const child of children) {
      if (typeof child === 'string') this.text(child);
      else if (this.leaves(child)) continue;
      else if (child.tag === 'pre') this.line.add(codeSpan(codeText(child)).replaceAll('|', '\\|'));
      else if (isBlock(child.tag) || (child.flags & Flag.hasBlock) !== 0) {
        this.line.space();
        this.#cellContent(child.children);
        this.line.space();
      } else this.one(child);
    }
  }
}

/** A noscript element that holds one picture and no text, and no counter's invisible one. */
function holdsPicture(noscript: Element): boolean {
  const [picture, ...others] = noscript.children.filter((child) => isElement(child) || child.trim() !== '');
  if (picture === undefined || !isElement(picture) || others.length > 0) return false;
  const image = picture.tag === 'img' ? picture : findFirst(picture, (inner) => inner.tag === 'img');
  return (
    image !== undefined &&
    rawText(picture, 20).trim() === '' &&
    !/display:\s*none/i.test(image.attributes['style'] ?? '')
  );
}

function isPermalink(link: Element): boolean {
  const { href, class: className } = link.attributes;
  if (!href?.includes('#')) return false;
  const text = visibleLine(link, 12);
  if (/^[#¶§🔗∞]?$/u.test(text)) return findFirst(link, (inner) => inner.tag === 'img') === undefined;
  return PERMALINK.test(className ?? '') && /^(?:link|permalink|anchor|copy link|direct link)?$/i.test(text);
}
