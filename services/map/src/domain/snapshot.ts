import type { RobotsFacts, Totals } from './tree.ts';

/** A stored tree of a site: what a map read. Its files are those of the map. */
export interface Snapshot {
  /** The map's. */
  readonly id: string;
  readonly workspaceId: string;
  /** Empty: none; then snapshots of one site belong together. */
  readonly projectId: string;
  readonly site: string;
  /** Whether addresses of subdomains are among them. */
  readonly subdomains: boolean;
  /** Nothing of the tree was left unread. */
  readonly complete: boolean;
  readonly totals: Totals;
  readonly robots: RobotsFacts | undefined;
  readonly takenAt: Date;
}

/** The snapshots that belong together: a project's, or a site's where no project is named. */
export interface SnapshotLine {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly site: string;
}

export const CHANGE_SETS = ['added', 'removed', 'updated'] as const;
export type ChangeSet = (typeof CHANGE_SETS)[number];

/** Changes kept together in one document. */
export const CHANGES_A_DOCUMENT = 5_000;

/** What differs between a snapshot and the one before it. */
export interface SnapshotDiff extends Readonly<Record<ChangeSet, number>> {
  readonly beforeId: string;
  /** Both trees were read whole, and reach as far: what is missing is gone. */
  readonly isVerdict: boolean;
  /** Why addresses were not compared. */
  readonly withheld: string | undefined;
  readonly filesAdded: readonly string[];
  readonly filesRemoved: readonly string[];
  readonly filesChanged: readonly string[];
  /** Names of the documents of each set, one set after the other. */
  readonly documents: readonly string[];
}

/** The documents that hold one set of changes. */
export function documentsOf(diff: SnapshotDiff, set: ChangeSet): readonly string[] {
  const counts = CHANGE_SETS.map((name) => Math.ceil(diff[name] / CHANGES_A_DOCUMENT));
  const at = CHANGE_SETS.indexOf(set);
  const from = counts.slice(0, at).reduce((sum, count) => sum + count, 0);
  return diff.documents.slice(from, from + (counts[at] ?? 0));
}
