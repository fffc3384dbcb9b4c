import type { Entry } from './tree.ts';

/** One file of a snapshot: files with the same hash declare the same. */
export interface SnapshotFile {
  readonly url: string;
  readonly sha256: string;
  /** Sorted by address. */
  readonly entries: readonly Entry[];
}

export interface SnapshotDiff {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** In both, with another `lastmod`. */
  readonly updated: readonly string[];
  readonly filesAdded: readonly string[];
  readonly filesRemoved: readonly string[];
}

/** What differs between two trees of a site. An address that only moved from one file to another is in both. */
export function diffSnapshots(before: readonly SnapshotFile[], after: readonly SnapshotFile[]): SnapshotDiff {
  const filesBefore = new Set(before.map(({ url }) => url));
  const filesAfter = new Set(after.map(({ url }) => url));
  const old = dated(before);
  const now = dated(after);
  const added: string[] = [];
  const updated: string[] = [];
  for (const [url, lastmod] of now) {
    const earlier = old.get(url);
    if (earlier === undefined) added.push(url);
    // A date that came or went says nothing about the page.
    else if (earlier !== lastmod && earlier !== '' && lastmod !== '') updated.push(url);
  }
  return {
    added: added.sort(),
    removed: [...old.keys()].filter((url) => !now.has(url)).sort(),
    updated: updated.sort(),
    filesAdded: [...filesAfter].filter((url) => !filesBefore.has(url)).sort(),
    filesRemoved: [...filesBefore].filter((url) => !filesAfter.has(url)).sort(),
  };
}

/** The first file that declares an address speaks for it. */
function dated(files: readonly SnapshotFile[]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { entries } of files) for (const { url, lastmod } of entries) if (!found.has(url)) found.set(url, lastmod);
  return found;
}

/** Whether two trees hold the same documents, so that nothing needs to be opened to say that nothing changed. */
export function sameDocuments(
  before: readonly Pick<SnapshotFile, 'url' | 'sha256'>[],
  after: readonly Pick<SnapshotFile, 'url' | 'sha256'>[],
): boolean {
  const keys = (files: typeof before) => files.map(({ url, sha256 }) => `${url} ${sha256}`).sort();
  const [a, b] = [keys(before), keys(after)];
  return a.length === b.length && a.every((key, at) => key === b[at]);
}
