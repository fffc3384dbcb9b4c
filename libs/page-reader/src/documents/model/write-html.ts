import * as html from '@tidemark/html';

/** Escapes text for html. Control characters, which html excludes, are removed. */
export const escapeHtml = (text: string): string => html.escapeHtml(text.replace(CONTROLS, ''));

const CONTROLS = /[^\P{Cc}\t\n\r]/gu;

export const paragraph = (text: string): string => (text.trim() === '' ? '' : `<p>${escapeHtml(text.trim())}</p>\n`);

export const heading = (level: number, text: string): string =>
  text.trim() === '' ? '' : `<h${level}>${escapeHtml(text.trim())}</h${level}>\n`;

/** Writes a link, or only its text if there is no URL. The html reader decides which URLs are allowed. */
export const link = (url: string, html: string): string =>
  url === '' ? html : `<a href="${escapeHtml(url)}">${html}</a>`;

export function table(rows: readonly (readonly string[])[], caption = ''): string {
  const [head = [], ...body] = rows;
  const cells = (row: readonly string[], tag: string): string =>
    `<tr>${row.map((cell) => `<${tag}>${escapeHtml(cell).replaceAll('\n', '<br>')}</${tag}>`).join('')}</tr>`;
  const named = caption === '' ? '' : `<caption>${escapeHtml(caption)}</caption>`;
  return `<table>${named}<thead>${cells(head, 'th')}</thead><tbody>${body.map((row) => cells(row, 'td')).join('\n')}</tbody></table>\n`;
}

/** Writes names and values as a definition list. */
export const definitions = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.length === 0
    ? ''
    : `<dl>${pairs.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join('\n')}</dl>\n`;

export const codeBlock = (text: string, language: string): string =>
  `<pre><code${language === '' ? '' : ` class="language-${language}"`}>${escapeHtml(text)}</code></pre>\n`;
