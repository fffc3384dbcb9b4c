import type { DocumentStore } from '../documents/document-store.ts';
import { makeDateStamp } from '../domain/date-stamp.ts';
import type { Snapshot, SnapshotDiff } from '../domain/snapshot.ts';
import { isRead, type SiteFile } from '../domain/tree.ts';
import { UrlTable } from '../domain/url-table.ts';
import { ChangeWriter } from './change-writer.ts';
import { type EntryBatch, filesWithEntries, toRow, treeEntries } from './tree-entries.ts';

export interface Tree {
  readonly snapshot: Pick<Snapshot, 'id' | 'complete' | 'subdomains'>;
  readonly files: readonly SiteFile[];
}

/** Entries per tree. A map has at most a million distinct URLs, but its files may repeat them. */
const MAX_ENTRIES = 4_000_000;

/**
 * Compares two trees of a site. The date of a URL is that of the first file that lists it; a URL that moved to another file is
 * unchanged. Documents are read one at a time, so memory is bounded by the number of distinct URLs: about 30 MB for a million.
 */
export async function diffTrees(documents: DocumentStore, before: Tree, after: Tree): Promise<SnapshotDiff> {
  const files = diffFiles(before.files, after.files);
  const summary = {
    beforeId: before.snapshot.id,
    added: 0,
    removed: 0,
    updated: 0,
    withheld: undefined,
    documents: [],
    ...files,
    isVerdict:
      before.snapshot.complete && after.snapshot.complete && before.snapshot.subdomains === after.snapshot.subdomains,
  };
  const isSame = Object.values(files).every((changed) => changed.length === 0);
  if (isSame) return summary;
  const entries = Math.max(entriesOf(before.files), entriesOf(after.files));
  if (entries > MAX_ENTRIES)
    return { ...summary, isVerdict: false, withheld: `${entries} entries exceed the limit of ${MAX_ENTRIES}` };
  const { added, removed, updated } = await compare(documents, before.files, after.files);
  const names = [...added.documentNames, ...removed.documentNames, ...updated.documentNames];
  return { ...summary, added: added.count, removed: removed.count, updated: updated.count, documents: names };
}

async function compare(documents: DocumentStore, before: readonly SiteFile[], after: readonly SiteFile[]) {
  const added = new ChangeWriter(documents);
  const removed = new ChangeWriter(documents);
  const updated = new ChangeWriter(documents);
  const old = new UrlTable({ dated: true });
  const dateStamp = makeDateStamp();
  for await (const { entries } of treeEntries(documents, before))
    for (const { url, lastmod } of entries) old.add(url, dateStamp(lastmod));
  await writeAddedAndUpdated(treeEntries(documents, after), { old, dateStamp, added, updated });
  // A URL that is not visited by now is in no file of the new tree.
  await writeRemoved(treeEntries(documents, before), { old, removed });
  for (const writer of [added, removed, updated]) await writer.flush();
  return { added, removed, updated };
}

interface AddedAndUpdated {
  /** The dated URLs of the old tree; visits them. */
  readonly old: UrlTable;
  readonly dateStamp: (lastmod: string) => number;
  readonly added: ChangeWriter;
  readonly updated: ChangeWriter;
}

async function writeAddedAndUpdated(
  newTree: AsyncIterable<EntryBatch>,
  { old, dateStamp, added, updated }: AddedAndUpdated,
): Promise<void> {
  const addedUrls = new UrlTable();
  for await (const { file, entries } of newTree) {
    for (const entry of entries) {
      const known = old.visit(entry.url);
      if (known === undefined) {
        if (addedUrls.add(entry.url) && added.add(toRow(entry, file))) await added.flush();
      } else if (!known.visited && isNewDate(known.stamp, dateStamp(entry.lastmod)) && updated.add(toRow(entry, file)))
        await updated.flush();
    }
  }
}

async function writeRemoved(
  oldTree: AsyncIterable<EntryBatch>,
  { old, removed }: { readonly old: UrlTable; readonly removed: ChangeWriter },
): Promise<void> {
  for await (const { file, entries } of oldTree) {
    for (const entry of entries)
      if (old.visit(entry.url)?.visited === false && removed.add(toRow(entry, file))) await removed.flush();
  }
}

/** A date that was added or removed is not evidence of a change of the page. */
const isNewDate = (before: number, after: number): boolean => before !== after && before !== 0 && after !== 0;

const entriesOf = (files: readonly SiteFile[]): number =>
  filesWithEntries(files).reduce((sum, { urls }) => sum + urls, 0);

function diffFiles(before: readonly SiteFile[], after: readonly SiteFile[]) {
  const documents = (files: readonly SiteFile[]) =>
    new Map(files.filter(isRead).map(({ url, kind, urls, entries }) => [url, `${kind} ${urls} ${entries}`]));
  const [old, newFiles] = [documents(before), documents(after)];
  return {
    filesAdded: [...newFiles.keys()].filter((url) => !old.has(url)).sort(),
    filesRemoved: [...old.keys()].filter((url) => !newFiles.has(url)).sort(),
    filesChanged: [...newFiles]
      .filter(([url, description]) => old.has(url) && old.get(url) !== description)
      .map(([url]) => url)
      .sort(),
  };
}
