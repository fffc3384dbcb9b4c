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

export function readEntries(document: string): Entry[] {
  return document.split('\n').flatMap((line) => {
    const [url = '', lastmod = '', changefreq = ''] = line.split('\t');
    return url === '' ? [] : [{ url, lastmod, changefreq }];
  });
}
