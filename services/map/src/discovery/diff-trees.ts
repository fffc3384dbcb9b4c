import type { Documents } from '../documents.ts';
import { DatedBook, makeDateStamp } from '../domain/dated-book.ts';
import type { Snapshot, SnapshotDiff } from '../domain/snapshot.ts';
import { isRead, type SiteFile } from '../domain/tree.ts';
import { UrlBook } from '../domain/url-book.ts';
import { ChangeLog } from './change-log.ts';
import { declaring, toRow, treeEntries } from './tree-entries.ts';

export interface Tree {
  readonly snapshot: Pick<Snapshot, 'id' | 'complete' | 'subdomains'>;
  readonly files: readonly SiteFile[];
}

/** Entries of a tree that are compared. A map tells a million addresses apart, but its files may repeat them. */
const MAX_ENTRIES = 4_000_000;

/**
 * What differs between two trees of a site. An address is dated by the first file that declares it; one that only moved from one file
 * to another is in both. Every document is read as a stream, so that memory depends on how many addresses there are, not on the files.
 */
export async function diffTrees(documents: Documents, before: Tree, after: Tree): Promise<SnapshotDiff> {
  const files = diffFiles(before.files, after.files);
  const about = {
    ...{ beforeId: before.snapshot.id, added: 0, removed: 0, updated: 0, withheld: undefined, documents: [], ...files },
    isVerdict:
      before.snapshot.complete && after.snapshot.complete && before.snapshot.subdomains === after.snapshot.subdomains,
  };
  const isSame = Object.values(files).every((changed) => changed.length === 0);
  if (isSame) return about;
  const entries = Math.max(entriesOf(before.files), entriesOf(after.files));
  if (entries > MAX_ENTRIES)
    return { ...about, isVerdict: false, withheld: `${entries} entries are more than are compared (${MAX_ENTRIES})` };
  const { added, removed, updated } = await compare(documents, before.files, after.files);
  const kept = [...added.kept, ...removed.kept, ...updated.kept];
  return { ...about, added: added.count, removed: removed.count, updated: updated.count, documents: kept };
}

async function compare(documents: Documents, before: readonly SiteFile[], after: readonly SiteFile[]) {
  const [added, removed, updated] = [new ChangeLog(documents), new ChangeLog(documents), new ChangeLog(documents)];
  const old = new DatedBook();
  const dateStamp = makeDateStamp();
  for await (const { entries } of treeEntries(documents, before))
    for (const { url, lastmod } of entries) old.add(url, dateStamp(lastmod));

  const fresh = new UrlBook();
  for await (const { file, entries } of treeEntries(documents, after)) {
    for (const entry of entries) {
      const known = old.see(entry.url);
      if (known === undefined) {
        if (fresh.add(entry.url) && added.add(toRow(entry, file))) await added.keep();
      } else if (!known.again && isAnother(known.stamp, dateStamp(entry.lastmod)) && updated.add(toRow(entry, file)))
        await updated.keep();
    }
  }
  // What is seen for the first time only now is in none of the new files.
  for await (const { file, entries } of treeEntries(documents, before)) {
    for (const entry of entries)
      if (old.see(entry.url)?.again === false && removed.add(toRow(entry, file))) await removed.keep();
  }
  for (const log of [added, removed, updated]) await log.keep();
  return { added, removed, updated };
}

/** A date that came or went says nothing about the page. */
const isAnother = (before: number, after: number): boolean => before !== after && before !== 0 && after !== 0;

const entriesOf = (files: readonly SiteFile[]): number => declaring(files).reduce((sum, { urls }) => sum + urls, 0);

function diffFiles(before: readonly SiteFile[], after: readonly SiteFile[]) {
  const documents = (files: readonly SiteFile[]) =>
    new Map(files.filter(isRead).map(({ url, kind, urls, entries }) => [url, `${kind} ${urls} ${entries}`]));
  const [old, now] = [documents(before), documents(after)];
  return {
    filesAdded: [...now.keys()].filter((url) => !old.has(url)).sort(),
    filesRemoved: [...old.keys()].filter((url) => !now.has(url)).sort(),
    filesChanged: [...now]
      .filter(([url, said]) => old.has(url) && old.get(url) !== said)
      .map(([url]) => url)
      .sort(),
  };
}
