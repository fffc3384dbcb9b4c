import type { Entry } from '../domain/tree.ts';

/**
 * Serialises the entries of a file: one line per entry, sorted by URL. The same entries give the same document, and so the same blob,
 * whatever their order in the file.
 */
export function writeEntries(entries: readonly Entry[]): string {
  return entries
    .map(({ url, lastmod, changefreq }) => `${url}\t${withoutSeparators(lastmod)}\t${withoutSeparators(changefreq)}\n`)
    .sort()
    .join('');
}

const withoutSeparators = (value: string): string =>
  /[\t\r\n]/.test(value) ? value.replace(/[\t\r\n]+/g, ' ') : value;

const NEWLINE = 10;
/** A few thousand entries. */
const BATCH_BYTES = 256 * 1024;

/** Reads an entry document in batches, because the entries of a large file would not fit in memory as objects. */
export function* readEntries(document: Buffer, batchBytes = BATCH_BYTES): Generator<Entry[]> {
  for (let from = 0; from < document.length; ) {
    const newline = document.indexOf(NEWLINE, Math.min(from + batchBytes, document.length) - 1);
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
