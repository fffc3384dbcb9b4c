import { type Element, isBlock } from '../tree/page-tree.ts';
import { codeText } from './code-text.ts';
import { isMathEcho, mathOf } from './formula.ts';
import { collapseInline } from './inline-whitespace.ts';

/** Readable plain text: blocks apart by an empty line, list items and rows one a line. */
export function toText(roots: readonly Element[], skip: number): string {
  const writer = new TextWriter(skip);
  for (const root of roots) writer.element(root);
  return writer.finish();
}

const LEAVES = new Set([
  'button',
  'input',
  'select',
  'textarea',
  'svg',
  'img',
  'rt',
  'rp',
  'iframe',
  'object',
  'video',
  'audio',
  'canvas',
]);
/** Blocks that follow each other line by line rather than as paragraphs. */
const LINES = new Set(['li', 'tr', 'dt', 'dd', 'caption', 'option']);

class TextWriter {
  readonly #skip: number;
  #out = '';
  /** What must come before the next text: nothing, a space, a line or a paragraph. */
  #gap: '' | ' ' | '\t' | '\n' | '\n\n' = '';

  constructor(skip: number) {
    this.#skip = skip;
  }

  finish(): string {
    return this.#out;
  }

  element(element: Element): void {
    const { tag, flags } = element;
    if (tag === 'script') this.#math(element);
    else if ((flags & this.#skip) !== 0 || LEAVES.has(tag)) return;
    else if (tag === 'br') this.#widen('\n');
    else if (tag === 'pre') this.#pre(element);
    else if (tag === 'math' || element.attributes['class'] !== undefined) this.#maybeMath(element);
    else this.#flow(element);
  }

  #maybeMath(element: Element): void {
    const math = mathOf(element);
    if (math !== undefined) this.#add(math);
    else if (!isMathEcho(element)) this.#flow(element);
  }

  #flow(element: Element): void {
    const gap = gapAround(element.tag);
    this.#widen(gap);
    for (const child of element.children) {
      if (typeof child === 'string') this.#add(collapseInline(child));
      else this.element(child);
    }
    this.#widen(gap);
  }

  #math(script: Element): void {
    const math = mathOf(script);
    if (math) this.#add(math);
  }

  #pre(element: Element): void {
    const code = codeText(element).replace(/^\n+/, '').trimEnd();
    if (code === '') return;
    this.#widen('\n\n');
    this.#write(code);
    this.#widen('\n\n');
  }

  #add(text: string): void {
    const bare = text.trim();
    if (bare === '') {
      if (text !== '') this.#widen(' ');
      return;
    }
    if (text.startsWith(' ')) this.#widen(' ');
    this.#write(bare);
    if (text.endsWith(' ')) this.#widen(' ');
  }

  #write(text: string): void {
    if (this.#out !== '') this.#out += this.#gap;
    this.#out += text;
    this.#gap = '';
  }

  #widen(gap: '' | ' ' | '\t' | '\n' | '\n\n'): void {
    if (
      gap.length > this.#gap.length ||
      (gap.startsWith('\n') && !this.#gap.startsWith('\n')) ||
      (gap === '\t' && this.#gap === ' ')
    )
      this.#gap = gap;
  }
}

function gapAround(tag: string): '' | '\t' | '\n' | '\n\n' {
  if (tag === 'td' || tag === 'th') return '\t';
  if (LINES.has(tag)) return '\n';
  return isBlock(tag) ? '\n\n' : '';
}
