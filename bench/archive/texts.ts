import { type PageReading, readPage, USUAL_CONTENT } from '../../services/scrape/src/content/read-page.ts';
import { bytesOf, hasCorpora, readCases } from '../shared/corpora.ts';
import { benchPage } from '../shared/sample-page.ts';

/** Content of a stored page. */
export interface Text {
  readonly html: string;
  readonly markdown: string;
  readonly title: string;
  readonly words: number;
}

const FOLDER = 'pages/wcxb';
/** Larger pages are outliers of the corpora and would measure zstd. */
const MAX_HTML = 600_000;

const read = (html: string): PageReading =>
  readPage({ html, url: 'https://example.com/page', content: USUAL_CONTENT, outputs: new Set(['markdown', 'text']) });

function toText(html: string): Text {
  const reading = read(html);
  const markdown = reading.markdown ?? '';
  return { html, markdown, title: reading.title ?? '', words: markdown.split(/\s+/).length };
}

/** Reads real pages of seven types as the service does; generates pages where the corpora are absent. */
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
