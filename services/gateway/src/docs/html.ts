import { escapeHtml } from '@tidemark/html';

/** Markup that is safe to send. Only `html` makes it, and `html` escapes whatever is put into it that isn't markup already. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Part = string | number | Html | undefined | readonly Part[];

function textOf(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return part.map(textOf).join('');
}

/** Markup with values in it: text is escaped, markup and lists of it stay, `undefined` is nothing. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.map((text, index) => text + textOf(parts[index])).join(''));

/** A description as the contract writes it: paragraphs, and `code` between backticks. */
export const prose = (text: string): Html[] =>
  text
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => html`<p>${phrase(paragraph)}</p>`);

/** One phrase of a description. */
export const phrase = (text: string): Part[] =>
  text.split('`').map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece));
