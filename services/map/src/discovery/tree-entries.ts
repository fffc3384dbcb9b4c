import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { DocumentStore } from '../documents/document-store.ts';
import { readEntries } from '../documents/entry-document.ts';
import { type Entry, isRead, type Row, type SiteFile } from '../domain/tree.ts';

export interface EntryBatch {
  readonly file: SiteFile;
  readonly entries: readonly Entry[];
}

/** Returns the files that contain entries. */
export const filesWithEntries = (files: readonly SiteFile[]): SiteFile[] =>
  files.filter((file) => isRead(file) && file.entries !== '');

/** Yields the entries of files in tree order, in batches. Holds one document in memory and yields to the event loop after each batch. */
export async function* treeEntries(documents: DocumentStore, files: readonly SiteFile[]): AsyncGenerator<EntryBatch> {
  for (const file of filesWithEntries(files)) {
    for (const entries of readEntries(await documents.get(file.entries))) {
      yield { file, entries };
      await yieldToEventLoop();
    }
  }
}

export const toRow = ({ url, lastmod, changefreq }: Entry, { kind, url: file, section }: SiteFile): Row => ({
  url,
  lastmod,
  changefreq,
  file,
  section,
  source: kind === 'feed' ? 'feed' : 'sitemap',
});
