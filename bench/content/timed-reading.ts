import { decodeBody, type OutputFormat, type PageReading, readPage, USUAL_CONTENT } from '@tidemark/page-reader';
import { bytesOf, type Case, textIn } from '../shared/corpora.ts';

export const ALL: ReadonlySet<OutputFormat> = new Set(['markdown', 'text', 'cleanHtml', 'links']);

/** One line per page that scored, printed worst first where WORST is set. */
export const worst: string[] = [];

/** Folders of sets whose truth leaves out the title of the page. */
export const WITHOUT_TITLE: ReadonlySet<string> = new Set([
  'pages/article-benchmark',
  'pages/articles-more',
  'pages/readability',
  'pages/defuddle-markdown',
]);

/** Returns the content options under which a page of a set is compared with its truth. */
export const contentFor = (folder: string) => ({ ...USUAL_CONTENT, omitTitleHeading: WITHOUT_TITLE.has(folder) });

export interface Timed {
  reading: PageReading;
  milliseconds: number;
}

/** Reads a case in every format, as the service does. @returns the reading and its CPU time */
export function read(folder: string, entry: Case): Timed {
  const bytes = bytesOf(folder, entry);
  const url = textIn(entry, 'url') || 'https://example.com/page';
  const before = process.cpuUsage();
  const { html } = decodeBody(bytes, undefined);
  const reading = readPage({ html, url, content: contentFor(folder), outputs: ALL });
  const { user, system } = process.cpuUsage(before);
  return { reading, milliseconds: (user + system) / 1_000 };
}

export const show = (value: number): string => value.toFixed(3);
export const line = (name: string, text: string): void => console.log(`${name.padEnd(24)} ${text}`);
export function note(set: string, entry: Case, score: number, more = ''): void {
  worst.push(`${show(score)} ${set} ${textIn(entry, 'id')} ${textIn(entry, 'type')} ${more} ${textIn(entry, 'url')}`);
}
