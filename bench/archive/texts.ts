import { type PageReading, readPage, USUAL_CONTENT } from '@tidemark/page-reader';
import { sitePages } from '../shared/generated-pages.ts';
import { benchPage } from '../shared/sample-page.ts';

/** Content of a stored page. */
export interface Text {
  readonly html: string;
  readonly markdown: string;
  readonly title: string;
  readonly words: number;
}

const read = (html: string): PageReading =>
  readPage({ html, url: 'https://example.com/page', content: USUAL_CONTENT, outputs: new Set(['markdown', 'text']) });

function toText(html: string): Text {
  const reading = read(html);
  const markdown = reading.markdown ?? '';
  return { html, markdown, title: reading.title ?? '', words: markdown.split(/\s+/).length };
}

/** Reads generated pages of two kinds as the service does. */
export function readTexts(count: number): Text[] {
  const pages = sitePages(Math.ceil(count / 2)).map(({ body }) => Buffer.from(body).toString());
  const others = Array.from({ length: Math.floor(count / 2) }, (_, seed) => benchPage(seed + 1));
  return [...pages, ...others].map(toText);
}
