import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Documents } from '../documents.ts';
import { readEntries } from '../domain/entry-document.ts';
import { type Entry, isRead, type Row, type SiteFile } from '../domain/tree.ts';

export interface SomeEntries {
  readonly file: SiteFile;
  readonly entries: readonly Entry[];
}

/** The files of a tree that declare addresses. */
export const declaring = (files: readonly SiteFile[]): SiteFile[] =>
  files.filter((file) => isRead(file) && file.entries !== '');

/** What files declare, in the order of the tree and some at a time; one document is open at once, and others get their turn. */
export async function* treeEntries(documents: Documents, files: readonly SiteFile[]): AsyncGenerator<SomeEntries> {
  for (const file of declaring(files)) {
    for (const entries of readEntries(await documents.get(file.entries))) {
      yield { file, entries };
      await nextTurn();
    }
  }
}

export const toRow = ({ url, lastmod, changefreq }: Entry, { kind, url: file, section }: SiteFile): Row => ({
  ...{ url, lastmod, changefreq, file, section },
  source: kind === 'feed' ? 'feed' : 'sitemap',
});
