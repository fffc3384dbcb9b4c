import { type Element, Flag, isBlock } from '../tree/page-tree.ts';
import { codeText } from './code-text.ts';
import { formulaOf, isDuplicateFormula } from './formula.ts';
import { collapseInline } from './inline-whitespace.ts';

/** Writes plain text: blocks are separated by an empty line, list items and table rows by a line break. */
export function toText(roots: readonly Element[], skip: number): string {
  const writer = new TextWriter(skip);
  for (const root of roots) writer.element(root);
  return writer.finish();
}

const OMITTED_TAGS = new Set([
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
/** Blocks separated by a line break instead of an empty line. */
const LINES = new Set(['li', 'tr', 'dt', 'dd', 'caption', 'option']);

class TextWriter {
  readonly #skip: number;
  #out = '';
  /** Separator that must precede the next text. */
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
    else if ((flags & this.#skip) !== 0 || (OMITTED_TAGS.has(tag) && (flags & Flag.label) === 0)) return;
    else if (tag === 'br') this.#widen('\n');
    else if (tag === 'pre') this.#pre(element);
    else if (tag === 'math' || element.attributes['class'] !== undefined) this.#formulaOrFlow(element);
    else this.#flow(element);
  }

  #formulaOrFlow(element: Element): void {
    const math = formulaOf(element);
    if (math !== undefined) this.#add(math);
    else if (!isDuplicateFormula(element)) this.#flow(element);
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
    const math = formulaOf(script);
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
