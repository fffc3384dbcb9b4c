import {
  CODE_GAP,
  HEADING_CHARS,
  ITEM_INDENT,
  LETTER_WIDTH,
  LINE_GAP,
  MARGIN_QUANTILE,
  PARAGRAPH_INDENT,
  SAME_SIZE,
  SHORT_END,
} from '../model/thresholds.ts';
import { codeBlock, escapeHtml, heading, link, table } from '../model/write-html.ts';
import { collapseLine, type Line, type Part } from './pdf-line.ts';
import { tableAt } from './pdf-table.ts';

/** Sizes of headings, largest first, and whether monospaced text is code. */
export interface Typography {
  readonly hasCode: boolean;
  readonly headings: readonly number[];
}

const BULLET = /^\s*(?:[•▪◦‣●○■□▸➢·∙\uf0b7\uf0a7]|[-–—*](?=\s))\s*/;
const NUMBER = /^\s*\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)]\s+/;
const ENDS_SENTENCE = /[.!?:;。！？…"”»)]\s*$/;

interface Block {
  readonly kind: 'p' | 'heading' | 'bullet' | 'number' | 'code' | 'html';
  readonly lines: Line[];
  readonly html: string;
}

/** Converts lines, page by page, into paragraphs, headings, lists and tables. */
export class BlockWriter {
  readonly #type: Typography;
  readonly #out: string[] = [];
  #list: 'ul' | 'ol' | '' = '';
  #pending: Block | undefined;

  constructor(type: Typography) {
    this.#type = type;
  }

  page(lines: readonly Line[], isFirst: boolean): void {
    const blocks = this.#blocksOf(lines);
    const [first] = blocks;
    const continuesPage = !isFirst && first !== undefined && this.#continuesPage(first);
    if (!isFirst && !continuesPage && blocks.length > 0) {
      this.#flush();
      this.#closeList();
      this.#out.push('<hr>\n');
    }
    for (const block of blocks) {
      if (block === first && continuesPage) this.#pending?.lines.push(...block.lines);
      else {
        this.#flush();
        this.#pending = block;
      }
    }
  }

  finish(): string {
    this.#flush();
    this.#closeList();
    return this.#out.join('');
  }

  /** True if a paragraph continues on the next page. */
  #continuesPage(first: Block): boolean {
    const last = this.#pending;
    if (
      last === undefined ||
      first.kind !== 'p' ||
      last.kind === 'heading' ||
      last.kind === 'code' ||
      last.kind === 'html'
    )
      return false;
    return !ENDS_SENTENCE.test(last.lines.at(-1)?.text ?? '') && /^\p{Ll}/u.test(first.lines[0]?.text ?? '');
  }

  #blocksOf(lines: readonly Line[]): Block[] {
    const blocks: Block[] = [];
    const right = typicalRight(lines);
    for (let i = 0; i < lines.length; i += 1) {
      const line = lines[i];
      if (line === undefined) continue;
      const kind = this.#kindOf(line);
      const found = kind === 'code' ? undefined : tableAt(lines, i);
      if (found !== undefined) {
        blocks.push({ kind: 'html', lines: [], html: table(found.rows) });
        i = found.end - 1;
        continue;
      }
      const open = blocks.at(-1);
      if (open !== undefined && this.#belongs(open, line, kind, right)) open.lines.push(line);
      else blocks.push({ kind, lines: [line], html: '' });
    }
    return blocks;
  }

  #kindOf(line: Line): Block['kind'] {
    const isLarge = this.#type.headings.includes(roundSize(line.size));
    if (line.isCode && this.#type.hasCode && !isLarge) return 'code';
    if (isLarge && line.text.length <= HEADING_CHARS && /\p{L}/u.test(line.text)) return 'heading';
    if (BULLET.test(line.text)) return 'bullet';
    return NUMBER.test(line.text) ? 'number' : 'p';
  }

  #belongs(open: Block, line: Line, kind: Block['kind'], right: number): boolean {
    const last = open.lines.at(-1);
    const first = open.lines[0];
    if (last === undefined || first === undefined || open.kind === 'html') return false;
    if (!haveSameSize(last, line)) return false;
    const gap = line.y - last.y;
    // A line further up is the first of the next column.
    const isNext = gap > 0 && gap < LINE_GAP * Math.max(line.size, last.size);
    if (open.kind === 'heading' || kind === 'heading') return open.kind === kind && isNext;
    if (open.kind === 'code' || kind === 'code') return open.kind === kind && gap > 0 && gap < CODE_GAP * line.size;
    if (kind !== 'p') return false;
    if (gap <= 0) return !ENDS_SENTENCE.test(last.text);
    if (!isNext) return false;
    if (open.kind !== 'p') return line.x > first.x + ITEM_INDENT * line.size || !ENDS_SENTENCE.test(last.text);
    return !startsParagraph(open, last, line, right);
  }

  #flush(): void {
    const block = this.#pending;
    this.#pending = undefined;
    if (block === undefined) return;
    const list = block.kind === 'bullet' ? 'ul' : block.kind === 'number' ? 'ol' : '';
    if (list !== this.#list) {
      this.#closeList();
      if (list !== '') this.#out.push(list === 'ol' ? `<ol start="${startOf(block)}">\n` : '<ul>\n');
      this.#list = list;
    }
    this.#out.push(this.#htmlOf(block));
  }

  #htmlOf({ kind, lines, html }: Block): string {
    if (kind === 'html') return html;
    if (kind === 'code') return codeBlock(codeOf(lines), '');
    const parts = joined(lines);
    if (kind === 'heading') return heading(this.#levelOf(lines), collapseLine(parts.map(({ text }) => text).join('')));
    if (kind === 'p') return `<p>${toHtml(parts)}</p>\n`;
    return `<li>${toHtml(withoutStart(parts, kind === 'bullet' ? BULLET : NUMBER))}</li>\n`;
  }

  #levelOf(lines: readonly Line[]): number {
    const rank = this.#type.headings.indexOf(roundSize(lines[0]?.size ?? 0));
    return Math.min(6, rank === -1 ? this.#type.headings.length + 1 : rank + 1);
  }

  #closeList(): void {
    if (this.#list !== '') this.#out.push(`</${this.#list}>\n`);
    this.#list = '';
  }
}

export const roundSize = (size: number): number => Math.round(size * 2) / 2;

/** Returns the right edge of most lines. */
function typicalRight(lines: readonly Line[]): number {
  const ends = lines.map(({ right }) => right).sort((a, b) => a - b);
  return ends[Math.floor(ends.length * MARGIN_QUANTILE)] ?? 0;
}

/** Writes code line by line, indented by position. */
function codeOf(lines: readonly Line[]): string {
  const left = Math.min(...lines.map(({ x }) => x));
  return lines
    .map(({ segments, size }) =>
      segments.reduce((text, segment) => {
        const place = Math.min(200, Math.round((segment.x - left) / (size * LETTER_WIDTH)));
        return text + ' '.repeat(Math.max(text === '' ? 0 : 1, place - text.length)) + segment.text;
      }, ''),
    )
    .join('\n');
}

const startOf = ({ lines }: Block): number => Number(/\d+/.exec(lines[0]?.text.slice(0, 6) ?? '')?.[0] ?? 1);

/** Joins lines into one text and rejoins hyphenated words. */
function joined(lines: readonly Line[]): Part[] {
  const parts: Part[] = [];
  for (const line of lines) {
    const last = parts.at(-1);
    const isParted = last !== undefined && /\p{L}[-\u00ad‐]\s*$/u.test(last.text) && /^\p{Ll}/u.test(line.text);
    if (isParted) parts[parts.length - 1] = { ...last, text: last.text.replace(/[-\u00ad‐]\s*$/, '') };
    else if (last !== undefined) parts.push({ text: ' ', href: '' });
    parts.push(...line.parts);
  }
  return parts;
}

function withoutStart(parts: readonly Part[], start: RegExp): Part[] {
  const text = parts.map((part) => part.text).join('');
  let left = start.exec(text)?.[0].length ?? 0;
  return parts.map((part) => {
    const cut = Math.min(left, part.text.length);
    left -= cut;
    return { ...part, text: part.text.slice(cut) };
  });
}

function toHtml(parts: readonly Part[]): string {
  let html = '';
  for (const [i, { text, href }] of parts.entries()) {
    // Space between two parts of one link is written outside of it.
    const isBetween = text.trim() === '' && i > 0;
    html += isBetween || href === '' ? escapeHtml(text) : link(href, escapeHtml(text));
  }
  return collapseLine(html);
}

const haveSameSize = (last: Line, line: Line): boolean =>
  roundSize(last.size) === roundSize(line.size) || Math.abs(last.size - line.size) <= SAME_SIZE * last.size;

/** Whether a line below a paragraph starts another: it is indented, or the last line ends a sentence before the right edge. */
function startsParagraph(open: Block, last: Line, line: Line, right: number): boolean {
  const isIndented = line.x > last.x + PARAGRAPH_INDENT * line.size && open.lines.length > 1;
  return isIndented || (last.right < right - SHORT_END * line.size && ENDS_SENTENCE.test(last.text));
}
