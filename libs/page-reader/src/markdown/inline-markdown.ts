import { imageOf } from '../links/image-source.ts';
import type { UrlResolver } from '../links/url-resolver.ts';
import { codeText } from '../output/code-text.ts';
import { formulaOf, isDuplicateFormula } from '../output/formula.ts';
import { leavesGap, presentationOf } from '../output/presentation.ts';
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
import { INLINE_MARKDOWN_NEIGHBOURS_CAP } from './thresholds.ts';

/** What is written, and how its URLs are resolved. */
export interface MarkdownScope {
  urls: UrlResolver;
  /** Elements with any of these flags are omitted. */
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
const CODE = new Set(['code', 'kbd', 'samp', 'tt']);
const ENCLOSED: Readonly<Record<string, readonly [string, string]>> = {
  q: ['"', '"'],
  sub: ['<sub>', '</sub>'],
  sup: ['<sup>', '</sup>'],
};
const PERMALINK =
  /(?:^|[\s_-])(?:headerlink|header-?anchor|heading-?anchor|anchor(?:-?link)?|permalink|hash-link|heading-link|octicon-link|direct-link)(?=$|[\s_-])/i;

/** Writes inline content into the current line. */
export class InlineMarkdown {
  line = new InlineLine();
  /** URL of a link around blocks, applied to the first line of text inside it. */
  cardLink: string | undefined;
  /** A footnote's own label, removed from the start of the note. */
  noteLabel: string | undefined;
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

  /** True if the element is not written. A script may contain a formula. */
  omits(element: Element): boolean {
    if (element.tag === 'script') return formulaOf(element) === undefined;
    if (element.tag === 'noscript' && (element.flags & Flag.notRendered) !== 0) return !holdsImage(element);
    return (element.flags & this.#scope.skip) !== 0 || this.#captions.has(element);
  }

  /** Separates the texts around an omitted element that is rendered. */
  gap(omitted: Element): void {
    if (leavesGap(omitted, this.#scope.skip)) this.line.space();
  }

  /** Returns a heading on one line. Links to its own anchor are permalinks and are unwrapped. */
  heading(element: Element): string {
    this.#inHeading = true;
    const text = this.separately(() => this.withCardLink(() => this.all(element.children)));
    this.#inHeading = false;
    return text;
  }

  text(written: string): void {
    const text = this.noteLabel === undefined ? written : this.#withoutNoteLabel(written);
    const escaped = escapeInline(text);
    this.line.add(this.#inTable ? escaped.replaceAll('|', '\\|') : escaped);
  }

  /** Returns what `inner` writes, as a separate line. */
  separately(inner: () => void): string {
    const outer = this.line;
    this.line = new InlineLine();
    inner();
    const text = this.line.take().replace(/\s*\n\s*/g, ' ');
    this.line = outer;
    return text;
  }

  /** Returns a table cell on one line. Its blocks are separated by a space. */
  cell(cell: Element): string {
    this.#inTable = true;
    const text = this.separately(() => this.#cellContent(cell.children));
    this.#inTable = false;
    return text;
  }

  all(children: readonly TreeNode[]): void {
    for (const child of children) {
      if (typeof child === 'string') this.text(child);
      else if (this.omits(child)) this.gap(child);
      else this.one(child);
    }
  }

  one(element: Element): void {
    const { tag } = element;
    if (this.#isUnwritten(element) || this.#notes.isDuplicate(element)) return;
    if ((element.flags & Flag.apart) !== 0) this.line.space();
    if (this.noteLabel !== undefined && this.#isNoteLabel(element)) return;
    const note = this.#notes.referenceOf(element);
    const math = formulaOf(element);
    if (tag === 'noscript' && (element.flags & Flag.notRendered) !== 0) this.#noscriptImage(element);
    else if (note !== undefined) this.line.add(`[^${note}]`);
    else if (math !== undefined) this.line.add(math);
    else if (EMPHASIS[tag] !== undefined) this.emphasis(EMPHASIS[tag], element);
    else if (tag === 'br') this.line.break();
    else if (tag === 'a') this.#link(element);
    else if (tag === 'img') this.#image(element);
    else if (CODE.has(tag)) this.line.add(codeSpan(codeText(element)));
    else if (!isDuplicateFormula(element)) this.#plain(element);
  }

  /** True for elements that markdown has no text for. A control separates the texts around it. */
  #isUnwritten(element: Element): boolean {
    const presentation = presentationOf(element, 0);
    if (presentation === 'control') this.line.space();
    return presentation === 'control' || presentation === 'annotation' || presentation === 'embed';
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

  /** Writes `inner` as the text of the pending card link, if there is one. */
  withCardLink(inner: () => void): void {
    const url = this.cardLink;
    this.cardLink = undefined;
    if (url) this.line.enclose('[', `](${linkTarget(url)})`, () => this.styled('[', inner));
    else inner();
  }

  #withoutNoteLabel(text: string): string {
    if (text.trim() === '' || this.noteLabel === undefined) return text;
    const bare = text.trimStart().replace(/^[[(]/, '');
    const { noteLabel } = this;
    this.noteLabel = undefined;
    return bare.startsWith(noteLabel) && /^(?:[\])][.:]?|[.:)])\s/.test(bare.slice(noteLabel.length))
      ? bare.slice(noteLabel.length).replace(/^[\]).:]+\s*/, '')
      : text;
  }

  /** True for the superscript, bold or linked number at the start of a note. */
  #isNoteLabel(element: Element): boolean {
    const text = visibleLine(element, 16);
    if (text === '') return false;
    const isNumber = text.replace(/^[[(]|[\]).:]+$/g, '') === this.noteLabel;
    if (isNumber) this.noteLabel = '';
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

  /** Writes the image that a noscript holds for a lazily loaded one. */
  #noscriptImage(noscript: Element): void {
    const image = findFirst(noscript, (inner) => inner.tag === 'img');
    const siblings = noscript.parent?.children ?? [];
    const isShown = siblings.slice(0, INLINE_MARKDOWN_NEIGHBOURS_CAP).some((sibling) => {
      if (!isElement(sibling) || sibling === noscript) return false;
      const image = sibling.tag === 'img' ? sibling : findFirst(sibling, (inner) => inner.tag === 'img');
      return image !== undefined && imageOf(image, this.#scope.urls) !== undefined;
    });
    if (image && !isShown) this.#image(image);
  }

  #cellContent(children: readonly TreeNode[]): void {
    for (const child of children) {
      if (typeof child === 'string') this.text(child);
      else if (this.omits(child)) this.gap(child);
      else if (child.tag === 'pre') this.line.add(codeSpan(codeText(child)).replaceAll('|', '\\|'));
      else if (isBlock(child.tag) || (child.flags & Flag.hasBlock) !== 0) {
        this.line.space();
        this.#cellContent(child.children);
        this.line.space();
      } else this.one(child);
    }
  }
}

/** True for a noscript element that contains one image and no text, except a hidden tracking pixel. */
function holdsImage(noscript: Element): boolean {
  const [only, ...others] = noscript.children.filter((child) => isElement(child) || child.trim() !== '');
  if (only === undefined || !isElement(only) || others.length > 0) return false;
  const image = only.tag === 'img' ? only : findFirst(only, (inner) => inner.tag === 'img');
  return (
    image !== undefined && rawText(only, 20).trim() === '' && !/display:\s*none/i.test(image.attributes['style'] ?? '')
  );
}

function isPermalink(link: Element): boolean {
  const { href, class: className } = link.attributes;
  if (!href?.includes('#')) return false;
  const text = visibleLine(link, 12);
  if (/^[#¶§🔗∞]?$/u.test(text)) return findFirst(link, (inner) => inner.tag === 'img') === undefined;
  return PERMALINK.test(className ?? '') && /^(?:link|permalink|anchor|copy link|direct link)?$/i.test(text);
}
