export { escapeHtml, escapeTags } from './escape.ts';
export { Html, html, type Part } from './html-tag.ts';
