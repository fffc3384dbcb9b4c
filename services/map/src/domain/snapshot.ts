import type { RobotsReport, Totals } from './tree.ts';

/** A stored sitemap tree of a site. Its files are the files of the map that created it. */
export interface Snapshot {
  /** Id of the map. */
  readonly id: string;
  readonly workspaceId: string;
  /** Empty: the snapshot belongs to the site of the workspace. */
  readonly projectId: string;
  readonly site: string;
  /** True if URLs of subdomains are included. */
  readonly subdomains: boolean;
  /** True if the whole tree was read. */
  readonly complete: boolean;
  readonly totals: Totals;
  readonly robots: RobotsReport | undefined;
  readonly takenAt: Date;
}

/** Identifies a series of snapshots that are compared with each other: those of a project or, without a project, of a site. */
export interface SnapshotSeries {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly site: string;
}

export const CHANGE_SETS = ['added', 'removed', 'updated'] as const;
export type ChangeSet = (typeof CHANGE_SETS)[number];

export const CHANGES_PER_DOCUMENT = 5_000;

/** Difference between a snapshot and the previous snapshot of its series. Counts are totals. */
export interface SnapshotDiff extends Readonly<Record<ChangeSet, number>> {
  readonly beforeId: string;
  /** True if both trees were read whole with the same scope, so that a missing URL was removed. */
  readonly isVerdict: boolean;
  /** Reason why URLs were not compared; undefined if they were. */
  readonly withheld: string | undefined;
  readonly filesAdded: readonly string[];
  readonly filesRemoved: readonly string[];
  readonly filesChanged: readonly string[];
  /** SHA-256 of the change documents: those of `added`, then `removed`, then `updated`. */
  readonly documents: readonly string[];
}

/** Returns the documents that contain one set of changes. */
export function documentsOf(diff: SnapshotDiff, set: ChangeSet): readonly string[] {
  const counts = CHANGE_SETS.map((name) => Math.ceil(diff[name] / CHANGES_PER_DOCUMENT));
  const at = CHANGE_SETS.indexOf(set);
  const from = counts.slice(0, at).reduce((sum, count) => sum + count, 0);
  return diff.documents.slice(from, from + (counts[at] ?? 0));
}
