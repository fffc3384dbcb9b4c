import type { Addresses } from './address.ts';
import { codeText, fencedCode } from './code-block.ts';
import { Footnotes, isBackLink } from './footnotes.ts';
import { imageOf } from './image-source.ts';
import { InlineLine } from './inline-line.ts';
import { codeSpan, escapeInline, escapeStart, linkTarget } from './markdown-escape.ts';
import { MarkdownWriter } from './markdown-writer.ts';
import { isMathEcho, mathOf } from './math.ts';
import { gridOf, type TableCell, type TableGrid } from './table-grid.ts';
import { type Content, type Element, findFirst, isBlock, isElement, lineOf, Mark } from './tree.ts';

/** What is left out: elements that carry any of these marks. */
export interface MarkdownScope {
  addresses: Addresses;
  skip: number;
  /** Elements written although a mark on an ancestor was given up; the roots of the content. */
  roots: readonly Element[];
}

/** The content as GitHub-flavoured markdown: https://github.github.com/gfm/ */
export function toMarkdown(scope: MarkdownScope, page: Element): string {
  const renderer = new MarkdownRenderer(scope, new Footnotes(page));
  for (const root of scope.roots) renderer.block(root);
  return renderer.finish();
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
const LEAVES = new Set([
  'button',
  'input',
  'select',
  'textarea',
  'svg',
  'iframe',
  'object',
  'video',
  'audio',
  'canvas',
]);
const PERMALINK =
  /(?:^|[\s_-])(?:headerlink|header-?anchor|heading-?anchor|anchor(?:-?link)?|permalink|hash-link|heading-link|octicon-link|direct-link)(?=$|[\s_-])/i;

class MarkdownRenderer {
  readonly #scope: MarkdownScope;
  readonly #notes: Footnotes;
  readonly #writer = new MarkdownWriter();
  #line = new InlineLine();
  readonly #styles = new Set<string>();
  /** The address of a link around blocks: given to the first line of text inside it. */
  #cardLink: string | undefined;
  #inTable = false;

  constructor(scope: MarkdownScope, notes: Footnotes) {
    this.#scope = scope;
    this.#notes = notes;
  }

  finish(): string {
    this.#flush();
    return this.#writer.toString();
  }

  #blocks(children: readonly Content[]): void {
    for (const child of children) {
      if (typeof child === 'string')
        this.#line.add(this.#inTable ? escapeInline(child).replaceAll('|', '\\|') : escapeInline(child));
      else this.block(child);
    }
  }

  /** Writes one element, block or inline. */
  block(element: Element): void {
    if (this.#isLeft(element)) return;
    if ((element.marks & Mark.blocky) === 0 && !isBlock(element.tag)) return this.#inline(element);
    if (!isBlock(element.tag)) return this.#inlineAroundBlocks(element);
    this.#flush();
    const note = this.#notes.definitionOf(element);
    if (note !== undefined) this.#nested(`[^${note}]: `, '    ', element);
    else this.#flow(element);
    this.#flush();
  }

  #isLeft(element: Element): boolean {
    if (element.tag === 'script') return mathOf(element) === undefined;
    return (element.marks & this.#scope.skip) !== 0;
  }

  #flow(element: Element): void {
    const { tag } = element;
    if (/^h[1-6]$/.test(tag)) return this.#heading(element, Number(tag[1]));
    const math =
      element.attributes['data-math'] === undefined && element.attributes['class'] === undefined
        ? undefined
        : mathOf(element);
    if (math) return this.#line.add(math);
    if (tag === 'pre' || tag === 'listing') return this.#writer.block(fencedCode(element));
    if (tag === 'ul' || tag === 'ol' || tag === 'menu' || tag === 'dir') return this.#list(element);
    if (tag === 'blockquote') return this.#nested('> ', '> ', element);
    if (tag === 'table') return this.#table(element);
    if (tag === 'hr') return this.#writer.block('---');
    if (tag === 'dt') return this.#term(element);
    this.#blocks(element.children);
  }

  #term(element: Element): void {
    this.#line.enclose('**', '**', () => this.#styled('**', () => this.#blocks(element.children)));
  }

  #heading(element: Element, level: number): void {
    if (
      (element.marks & Mark.blocky) !== 0 &&
      findFirst(element, (inner) => inner.tag === 'ul' || inner.tag === 'table')
    ) {
      return this.#blocks(element.children);
    }
    const outer = this.#line;
    this.#line = new InlineLine();
    this.#withCardLink(() => this.#inlines(element.children));
    const text = this.#line.take().replace(/\s*\n\s*/g, ' ');
    this.#line = outer;
    if (text !== '') this.#writer.block(`${'#'.repeat(level)} ${text}`);
  }

  #nested(marker: string, rest: string, element: Element): void {
    if (this.#writer.depth >= MarkdownWriter.nestingCap) return this.#blocks(element.children);
    this.#writer.open(marker, rest);
    this.#blocks(element.children);
    this.#flush();
    this.#writer.close();
  }

  #list(list: Element): void {
    const ordered = list.tag === 'ol';
    let number = Number.parseInt(list.attributes['start'] ?? '1', 10) || (list.attributes['start'] === '0' ? 0 : 1);
    let first = this.#writer.depth === 0 || list.parent?.tag !== 'li';
    for (const child of list.children) {
      if (typeof child === 'string' || this.#isLeft(child)) {
        if (typeof child === 'string' && child.trim() !== '') this.#line.add(escapeInline(child));
        continue;
      }
      this.#flush();
      if (!first) this.#writer.tight();
      first = false;
      const value = child.attributes['value'];
      if (value !== undefined && /^\d+$/.test(value)) number = Number(value);
      const marker = ordered ? `${number}. ` : '- ';
      if (child.tag === 'ul' || child.tag === 'ol') this.#nested('  ', '  ', child);
      else if (this.#item(child, marker)) number++;
    }
    this.#flush();
  }

  #item(item: Element, marker: string): boolean {
    const note = this.#notes.definitionOf(item);
    if (note !== undefined) this.#nested(`[^${note}]: `, '    ', item);
    else this.#nested(marker + checkboxOf(item), ' '.repeat(marker.length), item);
    return note === undefined;
  }

  #table(table: Element): void {
    const gutter = findFirst(table, (inner) => inner.tag === 'td' && /code|blob/.test(inner.attributes['class'] ?? ''));
    const listing = gutter && findFirst(table, (inner) => inner.tag === 'pre') ? gutter : undefined;
    if (listing) return this.#writer.block(fencedCode(listing));
    const grid = this.#inTable ? undefined : gridOf(table, this.#scope.skip);
    if (!grid) return this.#blocks(table.children);
    if (grid.caption) this.block(grid.caption);
    this.#flush();
    this.#writer.block(this.#rows(grid));
  }

  #rows(grid: TableGrid): string {
    const width = grid.rows.reduce((most, row) => Math.max(most, row.length), 0);
    const [first, ...rest] = grid.rows;
    const head = grid.headed && first ? first : [];
    const body = grid.headed ? rest : grid.rows;
    const lines = [
      this.#row(head, width),
      `| ${Array.from({ length: width }, (_, at) => ruleOf(first?.[at])).join(' | ')} |`,
    ];
    for (const row of body) lines.push(this.#row(row, width));
    return lines.join('\n');
  }

  #row(cells: readonly TableCell[], width: number): string {
    const texts = Array.from({ length: width }, (_, at) => {
      const cell = cells[at];
      return cell?.starts ? this.#cell(cell.element) : '';
    });
    return `| ${texts.join(' | ')} |`;
  }

  /** A cell on one line: its blocks are written apart by a space. */
  #cell(cell: Element): string {
    const outer = this.#line;
    this.#line = new InlineLine();
    this.#inTable = true;
    this.#cellContent(cell.children);
    this.#inTable = false;
    const text = this.#line.take().replace(/\s*\n\s*/g, ' ');
    this.#line = outer;
    return text;
  }

  #cellContent(children: readonly Content[]): void {
    for (const child of children) {
      if (typeof child === 'string') this.#blocks([child]);
      else if (this.#isLeft(child)) continue;
      else if (child.tag === 'pre') this.#line.add(codeSpan(codeText(child)).replaceAll('|', '\\|'));
      else if (isBlock(child.tag) || (child.marks & Mark.blocky) !== 0) {
        this.#line.space();
        this.#cellContent(child.children);
        this.#line.space();
      } else this.#inline(child);
    }
  }

  #inlines(children: readonly Content[]): void {
    for (const child of children) {
      if (typeof child === 'string') this.#blocks([child]);
      else if (!this.#isLeft(child)) this.#inline(child);
    }
  }

  /** A link or span around blocks: the blocks are written as such, the link goes to the first of them. */
  #inlineAroundBlocks(element: Element): void {
    const math = mathOf(element);
    if (math) return this.#line.add(math);
    const url = element.tag === 'a' ? this.#scope.addresses.link(element.attributes['href']) : undefined;
    const outer = this.#cardLink;
    if (url) {
      this.#flush();
      this.#cardLink = url;
    }
    this.#blocks(element.children);
    if (url) this.#flush();
    this.#cardLink = outer;
  }

  #inline(element: Element): void {
    const { tag } = element;
    if (LEAVES.has(tag)) return;
    const math = mathOf(element);
    if (math) return this.#line.add(math);
    const style = EMPHASIS[tag];
    if (style !== undefined) return this.#emphasis(style, element);
    if (tag === 'br') return this.#line.break();
    if (tag === 'a') return this.#link(element);
    if (tag === 'img') return this.#image(element);
    if (tag === 'code' || tag === 'kbd' || tag === 'samp' || tag === 'tt')
      return this.#line.add(codeSpan(codeText(element)));
    if (tag === 'q') return this.#line.enclose('"', '"', () => this.#inlines(element.children));
    if (tag === 'sup' && this.#isPlainSup(element))
      return this.#line.enclose('<sup>', '</sup>', () => this.#inlines(element.children));
    if (tag === 'sub') return this.#line.enclose('<sub>', '</sub>', () => this.#inlines(element.children));
    if (tag === 'rt' || tag === 'rp' || isMathEcho(element)) return;
    this.#inlines(element.children);
  }

  #isPlainSup(element: Element): boolean {
    return !element.children.some((child) => isElement(child) && child.tag === 'a') && lineOf(element, 20) !== '';
  }

  #emphasis(style: string, element: Element): void {
    if (this.#styles.has(style)) return this.#inlines(element.children);
    this.#line.enclose(style, style, () => this.#styled(style, () => this.#inlines(element.children)));
  }

  #styled(style: string, inner: () => void): void {
    const added = !this.#styles.has(style);
    this.#styles.add(style);
    inner();
    if (added) this.#styles.delete(style);
  }

  #link(link: Element): void {
    if (isBackLink(link) || isPermalink(link)) return;
    const note = this.#notes.referenceOf(link);
    if (note !== undefined) return this.#line.add(`[^${note}]`);
    const url = this.#styles.has('[') ? undefined : this.#scope.addresses.link(link.attributes['href']);
    if (!url) return this.#inlines(link.children);
    this.#line.enclose('[', `](${linkTarget(url)})`, () => this.#styled('[', () => this.#inlines(link.children)));
  }

  #image(image: Element): void {
    const found = imageOf(image, this.#scope.addresses);
    if (found) this.#line.add(`![${found.alt.replace(/[[\]]/g, '\\$&')}](${linkTarget(found.src)})`);
  }

  #withCardLink(inner: () => void): void {
    const url = this.#cardLink;
    this.#cardLink = undefined;
    if (!url) return inner();
    this.#line.enclose('[', `](${linkTarget(url)})`, () => this.#styled('[', inner));
  }

  #flush(): void {
    if (this.#inTable || this.#line.isEmpty) return void (this.#inTable || this.#line.take());
    const text = this.#line.take();
    const url = this.#cardLink;
    this.#cardLink = undefined;
    this.#writer.block(
      url && !text.includes('](') ? `[${text.replace(/\s*\n\s*/g, ' ')}](${linkTarget(url)})` : escapeStart(text),
    );
  }
}

function isPermalink(link: Element): boolean {
  const { href, class: className } = link.attributes;
  if (!href?.includes('#')) return false;
  const text = lineOf(link, 12);
  if (/^[#¶§🔗∞]?$/u.test(text)) return findFirst(link, (inner) => inner.tag === 'img') === undefined;
  return PERMALINK.test(className ?? '') && /^(?:link|permalink|anchor|copy link|direct link)?$/i.test(text);
}

function checkboxOf(item: Element): string {
  const box = findFirst(item, (inner) => inner.tag === 'input' || inner.tag === 'li');
  if (box?.tag !== 'input' || box.attributes['type'] !== 'checkbox') return '';
  return box.attributes['checked'] === undefined ? '[ ] ' : '[x] ';
}

function ruleOf(cell: TableCell | undefined): string {
  const align =
    cell?.element.attributes['align'] ??
    /text-align:\s*(left|center|right)/i.exec(cell?.element.attributes['style'] ?? '')?.[1];
  if (align === 'right') return '---:';
  return align === 'center' ? ':---:' : '---';
}
