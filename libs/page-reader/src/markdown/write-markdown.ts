import { formulaOf } from '../output/formula.ts';
import { type Element, Flag, findFirst, isBlock, type Page, type TreeNode } from '../tree/page-tree.ts';
import { BlockWriter } from './block-writer.ts';
import { type Callout, calloutOf } from './callouts.ts';
import { Captions } from './captions.ts';
import { escapeInline, escapeStart, linkTarget } from './escape-markdown.ts';
import { fencedCode } from './fenced-code.ts';
import { Footnotes } from './footnotes.ts';
import { InlineMarkdown, type MarkdownScope } from './inline-markdown.ts';
import { gridOf, type TableCell, type TableGrid } from './table-grid.ts';

/** Writes the content as GitHub Flavored Markdown: https://github.github.com/gfm/ */
export function toMarkdown(scope: MarkdownScope, page: Page): string {
  const renderer = new MarkdownRenderer(scope, new Footnotes(page));
  for (const root of scope.roots) renderer.element(root);
  renderer.remainingNotes();
  return renderer.finish();
}

const LISTS = new Set(['ul', 'ol', 'menu', 'dir']);
const HEADING = /^h[1-6]$/;

class MarkdownRenderer {
  readonly #scope: MarkdownScope;
  readonly #notes: Footnotes;
  readonly #writer = new BlockWriter();
  readonly #inline: InlineMarkdown;
  /** Labels of the open callouts, which are not written again. */
  #labels: ReadonlySet<Element> = new Set();

  constructor(scope: MarkdownScope, notes: Footnotes) {
    this.#scope = scope;
    this.#notes = notes;
    const captions = new Captions((scope.skip & Flag.boilerplate) === 0 ? [] : scope.roots);
    this.#inline = new InlineMarkdown(scope, notes, captions);
  }

  finish(): string {
    this.#flush();
    return this.#writer.toString();
  }

  /** Writes the notes that the content refers to and that stand outside it. */
  remainingNotes(): void {
    this.#flush();
    for (const [holder, name] of this.#notes.missing()) {
      this.#note(name, holder);
      this.#flush();
    }
  }

  element(element: Element): void {
    if (this.#labels.has(element)) return;
    if (this.#inline.omits(element)) this.#inline.gap(element);
    else if (element.tag === 'noscript' && (element.flags & Flag.notRendered) !== 0) this.#inline.one(element);
    else if (element.tag === 'textarea') this.#inline.one(element);
    else if (isBlock(element.tag)) this.#block(element);
    else if ((element.flags & Flag.hasBlock) !== 0) this.#inlineAroundBlocks(element);
    else this.#inline.one(element);
  }

  #children(children: readonly TreeNode[]): void {
    for (const child of children) {
      if (typeof child === 'string') this.#inline.text(child);
      else this.element(child);
    }
  }

  #block(element: Element): void {
    this.#flush();
    const note = this.#notes.definitionOf(element);
    if (note !== undefined) this.#note(note, element);
    else this.#flow(element);
    this.#flush();
  }

  #flow(element: Element): void {
    const { tag, attributes } = element;
    const isPlain = attributes['data-math'] === undefined && attributes['class'] === undefined;
    const math = isPlain ? undefined : formulaOf(element);
    const callout = isPlain ? undefined : calloutOf(element);
    if (callout) this.#callout(callout, element);
    else if (HEADING.test(tag)) this.#heading(element, Number(tag[1]));
    else if (math !== undefined) this.#inline.line.add(math);
    else if (tag === 'pre' || tag === 'listing') this.#writer.block(fencedCode(element));
    else if (LISTS.has(tag)) this.#list(element);
    else if (tag === 'blockquote') this.#nested('> ', '> ', element);
    else if (tag === 'table') this.#table(element);
    else if (tag === 'hr') this.#writer.block('---');
    else if (tag === 'dt' && (element.flags & Flag.hasBlock) === 0) this.#inline.emphasis('**', element);
    else this.#children(element.children);
  }

  #heading(element: Element, level: number): void {
    if (
      (element.flags & Flag.hasBlock) !== 0 &&
      findFirst(element, (inner) => LISTS.has(inner.tag) || inner.tag === 'table')
    ) {
      this.#children(element.children);
      return;
    }
    const text = this.#inline.heading(element);
    if (text !== '') this.#writer.block(`${'#'.repeat(level)} ${text}`);
  }

  #nested(marker: string, rest: string, element: Element): void {
    if (this.#writer.depth >= BlockWriter.nestingCap) {
      this.#children(element.children);
      return;
    }
    this.#writer.open(marker, rest);
    this.#children(element.children);
    this.#flush();
    this.#writer.close();
  }

  /**
   * https://docs.github.com/en/get-started/writing-on-github/getting-started-with-writing-and-formatting-on-github/basic-writing-and-formatting-syntax#alerts
   */
  #callout({ kind, title, labels }: Callout, element: Element): void {
    if (this.#writer.depth >= BlockWriter.nestingCap) {
      this.#children(element.children);
      return;
    }
    const outer = this.#labels;
    this.#labels = labels;
    this.#writer.open('> ', '> ');
    this.#writer.block(`[!${kind}]`);
    this.#writer.tight();
    if (title !== '') this.#writer.block(`**${escapeInline(title)}**`);
    this.#children(element.children);
    this.#flush();
    this.#writer.close();
    this.#labels = outer;
  }

  /** Writes a footnote without the label it starts with. */
  #note(name: string, element: Element): void {
    this.#inline.noteLabel = this.#notes.labelOf(element);
    this.#nested(`[^${name}]: `, '    ', element);
    this.#inline.noteLabel = undefined;
  }

  #list(list: Element): void {
    let number = firstNumber(list);
    let isFirst = this.#writer.depth === 0 || list.parent?.tag !== 'li';
    for (const child of list.children) {
      if (typeof child === 'string') {
        this.#listText(child);
        continue;
      }
      if (this.#inline.omits(child)) continue;
      this.#flush();
      if (!isFirst) this.#writer.tight();
      isFirst = false;
      number = ownNumber(child) ?? number;
      if (this.#item(child, list.tag === 'ol' ? `${number}. ` : '- ')) number++;
    }
    this.#flush();
  }

  #listText(text: string): void {
    if (text.trim() !== '') this.#inline.text(text);
  }

  /** Writes one child of a list. Returns false for a list and for a footnote, which use no number. */
  #item(item: Element, marker: string): boolean {
    if (LISTS.has(item.tag)) {
      this.#nested('  ', '  ', item);
      return false;
    }
    const note = this.#notes.definitionOf(item);
    if (note !== undefined) this.#note(note, item);
    else this.#nested(marker + checkboxOf(item), ' '.repeat(marker.length), item);
    return note === undefined;
  }

  #table(table: Element): void {
    const code = codeCellOf(table);
    const grid = code ? undefined : gridOf(table, this.#scope.skip);
    if (code) this.#writer.block(fencedCode(code));
    else if (grid) this.#grid(grid);
    else this.#children(table.children);
  }

  #grid(grid: TableGrid): void {
    if (grid.caption) this.element(grid.caption);
    this.#flush();
    const width = grid.rows.reduce((most, row) => Math.max(most, row.length), 0);
    const [first = []] = grid.rows;
    const rules = Array.from({ length: width }, (_, at) => ruleOf(first[at]));
    // A markdown table needs a header. If none is declared, the first row is used.
    const body = grid.rows.slice(1);
    const lines = [this.#row(first, width), `| ${rules.join(' | ')} |`, ...body.map((row) => this.#row(row, width))];
    this.#writer.block(lines.join('\n'));
  }

  #row(cells: readonly TableCell[], width: number): string {
    const texts = Array.from({ length: width }, (_, at) => {
      const cell = cells[at];
      return cell?.starts ? this.#inline.cell(cell.element) : '';
    });
    return `| ${texts.join(' | ')} |`;
  }

  /** Writes a link or span around blocks as blocks; the first of them is linked. */
  #inlineAroundBlocks(element: Element): void {
    const math = formulaOf(element);
    if (math !== undefined) {
      this.#inline.line.add(math);
      return;
    }
    const href = element.tag === 'a' ? element.attributes['href'] : undefined;
    // A section's link to itself is a permalink.
    const url = href?.startsWith('#') ? undefined : this.#scope.urls.link(href);
    const outer = this.#inline.cardLink;
    if (url) {
      this.#flush();
      this.#inline.cardLink = url;
    }
    this.#children(element.children);
    if (url) this.#flush();
    this.#inline.cardLink = outer;
  }

  #flush(): void {
    const text = this.#inline.line.take();
    if (text === '') return;
    const url = this.#inline.cardLink;
    this.#inline.cardLink = undefined;
    const isLinked = url === undefined || text.includes('](');
    this.#writer.block(isLinked ? escapeStart(text) : `[${text.replace(/\s*\n\s*/g, ' ')}](${linkTarget(url)})`);
  }
}

function firstNumber(list: Element): number {
  const start = Number.parseInt(list.attributes['start'] ?? '1', 10);
  return Number.isNaN(start) || start < 0 ? 1 : start;
}

/** Returns the number that an item of a list has of its own. */
function ownNumber({ attributes }: Element): number | undefined {
  const value = attributes['value'];
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined;
}

/** Returns the code column of a listing whose line numbers are in another column. */
function codeCellOf(table: Element): Element | undefined {
  if (!findFirst(table, (inner) => inner.tag === 'pre')) return undefined;
  return findFirst(table, (inner) => inner.tag === 'td' && /code|blob/.test(inner.attributes['class'] ?? ''));
}

function checkboxOf(item: Element): string {
  const box = findFirst(item, (inner) => inner.tag === 'input' || inner.tag === 'li');
  if (box?.tag !== 'input' || box.attributes['type'] !== 'checkbox') return '';
  return box.attributes['checked'] === undefined ? '[ ] ' : '[x] ';
}

function ruleOf(cell: TableCell | undefined): string {
  const { align, style } = cell?.element.attributes ?? {};
  const side = align ?? /text-align:\s*(left|center|right)/i.exec(style ?? '')?.[1];
  if (side === 'right') return '---:';
  return side === 'center' ? ':---:' : '---';
}
