import { type Html, html, type Part } from '@tidemark/html';

/** Renders a description of the contract: paragraphs, and `code` between backticks. */
export const prose = (text: string): Html[] =>
  text
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => html`<p>${phrase(paragraph)}</p>`);

/** Renders one paragraph of a description. */
export const phrase = (text: string): Part[] =>
  text.split('`').map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece));
