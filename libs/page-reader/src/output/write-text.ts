import { type Element, Flag } from '../tree/page-tree.ts';
import { codeText } from './code-text.ts';
import { formulaOf } from './formula.ts';
import { collapseInline } from './inline-whitespace.ts';
import { type Gap, gapAround, leavesGap, presentationOf } from './presentation.ts';

/** Writes plain text: blocks are separated by an empty line, list items and table rows by a line break. */
export function toText(roots: readonly Element[], skip: number): string {
  const writer = new TextWriter(skip);
  for (const root of roots) writer.element(root);
  return writer.finish();
}

class TextWriter {
  readonly #skip: number;
  #out = '';
  /** Separator that must precede the next text. */
  #gap: Gap = '';

  constructor(skip: number) {
    this.#skip = skip;
  }

  finish(): string {
    return this.#out;
  }

  element(element: Element): void {
    switch (presentationOf(element, this.#skip)) {
      case 'flow':
        this.#flow(element);
        break;
      case 'formula':
        this.#formula(element);
        break;
      case 'break':
        this.#widen('\n');
        break;
      case 'code':
        this.#pre(element);
        break;
      case 'control':
        this.#widen(' ');
        break;
      case 'omitted':
        if (leavesGap(element, this.#skip)) this.#widen(' ');
        break;
    }
  }

  #flow(element: Element): void {
    const gap = gapAround(element);
    this.#widen(gap);
    if ((element.flags & Flag.apart) !== 0) this.#widen(' ');
    for (const child of element.children) {
      if (typeof child === 'string') this.#add(collapseInline(child));
      else this.element(child);
    }
    this.#widen(gap);
  }

  #formula(element: Element): void {
    const gap = gapAround(element);
    this.#widen(gap);
    this.#add(formulaOf(element) ?? '');
    this.#widen(gap);
  }

  #pre(element: Element): void {
    const code = codeText(element).replace(/^\n+/, '').trimEnd();
    this.#widen('\n\n');
    if (code === '') return;
    this.#write(code);
    this.#widen('\n\n');
  }

  #add(text: string): void {
    const bare = text.trim();
    if (bare === '') {
      if (text !== '') this.#widen(' ');
      return;
    }
    // White space that is not collapsed, such as the ideographic space, separates words too.
    if (text[0] !== bare[0]) this.#widen(' ');
    this.#write(bare);
    if (text.at(-1) !== bare.at(-1)) this.#widen(' ');
  }

  #write(text: string): void {
    if (this.#out !== '') this.#out += this.#gap;
    this.#out += text;
    this.#gap = '';
  }

  #widen(gap: Gap): void {
    if (
      gap.length > this.#gap.length ||
      (gap.startsWith('\n') && !this.#gap.startsWith('\n')) ||
      (gap === '\t' && this.#gap === ' ')
    )
      this.#gap = gap;
  }
}
