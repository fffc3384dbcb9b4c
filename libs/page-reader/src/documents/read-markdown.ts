import { decodeBody } from '../page/decode-body.ts';
import type { DocumentContent, DocumentInput, DocumentLimits } from './model/document.ts';
import { escapeHtml } from './model/write-html.ts';

/** Matches a link, its text and its URL. Quantifiers are bounded, so that a file of brackets takes linear time. */
const LINK = /\[([^\][\n]{1,300})\]\(([^()\s]{1,2000})(?:\s"[^"\n]{0,300}")?\)/g;

/** Keeps markdown as it is. The html shows it unchanged, with its links. */
export async function readMarkdown(input: DocumentInput, limits: DocumentLimits): Promise<DocumentContent> {
  const { html: whole } = decodeBody(input.bytes, input.contentType);
  const source = whole
    .slice(0, limits.textChars)
    .replace(/^\ufeff/, '')
    .trim();
  const notes = whole.length > limits.textChars ? [`document cut after ${limits.textChars} characters`] : [];
  let html = '';
  let at = 0;
  for (const match of source.matchAll(LINK)) {
    const [written, text = '', url = ''] = match;
    html += `${escapeHtml(source.slice(at, match.index))}<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`;
    at = match.index + written.length;
  }
  const title = /^#{1,2}\s+(.{1,300}?)\s*#*$/m.exec(source.slice(0, 10_000))?.[1];
  return {
    html: `<pre>${html}${escapeHtml(source.slice(at))}</pre>`,
    markdown: source,
    text: source,
    ...(title === undefined ? {} : { title }),
    properties: { kind: 'markdown' },
    notes,
  };
}
