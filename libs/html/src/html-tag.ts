import { escapeHtml } from './escape.ts';

/** Safe markup. Only the `html` tag creates it, and the tag escapes every value that is not markup already. */
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

/** Template tag: escapes text, keeps markup and lists of markup, and omits `undefined`. */
export const html = (strings: TemplateStringsArray, ...parts: readonly Part[]): Html =>
  new Html(strings.map((text, index) => text + textOf(parts[index])).join(''));
