import { type PageReading, readPage, USUAL_CONTENT } from '../../../services/scrape/src/content/read-page.ts';
import { bytesOf, hasCorpora, readCases } from '../content-corpora.ts';
import { benchPage } from '../page.ts';

/** What a stored page is made of. */
export interface Text {
  readonly html: string;
  readonly markdown: string;
  readonly title: string;
  readonly words: number;
}

const FOLDER = 'pages/wcxb';
/** Larger ones are the corpora's odd ones out: they would measure zstd. */
const MAX_HTML = 600_000;

const read = (html: string): PageReading =>
  readPage({ html, url: 'https://example.com/page', content: USUAL_CONTENT, outputs: new Set(['markdown', 'text']) });

function toText(html: string): Text {
  const reading = read(html);
  const markdown = reading.markdown ?? '';
  return { html, markdown, title: reading.title ?? '', words: markdown.split(/\s+/).length };
}

/** Real pages of seven types, read as the service reads them; made-up ones where the corpora are not there. */
export function readTexts(count: number): { texts: Text[]; from: string } {
  if (!hasCorpora()) {
    const texts = Array.from({ length: Math.min(count, 100) }, (_, seed) => toText(benchPage(seed + 1)));
    return { texts, from: `${texts.length} made-up pages (the corpora of real ones are absent)` };
  }
  const texts: Text[] = [];
  for (const entry of readCases(`${FOLDER}/index.json`)) {
    if (texts.length === count) break;
    const html = Buffer.from(bytesOf(FOLDER, entry)).toString();
    if (html.length <= MAX_HTML) texts.push(toText(html));
  }
  return { texts, from: `${texts.length} real pages of the corpora` };
}
