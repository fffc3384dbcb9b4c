import type { Entry } from './tree.ts';

/**
 * A file's entries as they are kept: a line each, sorted by address, so that the same entries make the same document in whatever
 * order the site wrote them, and two documents can be merged line by line.
 */
export function writeEntries(entries: readonly Entry[]): string {
  return entries
    .map(({ url, lastmod, changefreq }) => `${url}\t${tidy(lastmod)}\t${tidy(changefreq)}\n`)
    .sort()
    .join('');
}

const tidy = (value: string): string => (/[\t\r\n]/.test(value) ? value.replace(/[\t\r\n]+/g, ' ') : value);

const NEWLINE = 10;
/** Some thousand entries. */
const BYTES_AT_ONCE = 256 * 1024;

/** Reads a document of entries some at a time: a large file's would not all fit as objects. */
export function* readEntries(document: Buffer, bytesAtOnce = BYTES_AT_ONCE): Generator<Entry[]> {
  for (let from = 0; from < document.length; ) {
    const newline = document.indexOf(NEWLINE, Math.min(from + bytesAtOnce, document.length) - 1);
    const end = newline < 0 ? document.length : newline;
    yield document.toString('utf8', from, end).split('\n').flatMap(readEntry);
    from = end + 1;
  }
}

function readEntry(line: string): Entry[] {
  const first = line.indexOf('\t');
  const second = line.indexOf('\t', first + 1);
  if (first < 1 || second < 0) return [];
  return [{ url: line.slice(0, first), lastmod: line.slice(first + 1, second), changefreq: line.slice(second + 1) }];
}
