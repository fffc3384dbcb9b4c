import type {
  DiscoveryResponse,
  ListEntriesResponse,
  SnapshotDiff as WireDiff,
  Snapshot as WireSnapshot,
} from '@tidemark/contracts/map/v1/map';
import type { DiscoveryResult, EntryList } from '../discovery/discovery.ts';
import type { SnapshotDiff } from '../domain/snapshot.ts';
import type { Row, SiteFile } from '../domain/tree.ts';
import { toRobots } from '../jobs/to-wire-job.ts';

/** URLs listed per set of changes. */
const MAX_LISTED = 1_000;

export const toWireFiles = (files: readonly SiteFile[]): SiteFile[] => [...files];

export function toWireDiscovery({ tree, diff, samples, running, kept }: DiscoveryResult): DiscoveryResponse {
  return {
    snapshot: tree === undefined ? undefined : toWireSnapshot(tree),
    diff: diff === undefined ? undefined : toWireDiff(diff, samples),
    running,
    kept: [...kept],
  };
}

const toWireSnapshot = ({ snapshot, files }: NonNullable<DiscoveryResult['tree']>): WireSnapshot => ({
  id: snapshot.id,
  takenAt: snapshot.takenAt,
  complete: snapshot.complete,
  robots: snapshot.robots === undefined ? undefined : toRobots(snapshot.robots),
  totals: snapshot.totals,
  files: toWireFiles(files),
});

function toWireDiff(diff: SnapshotDiff, samples: DiscoveryResult['samples']): WireDiff {
  const first = (rows: readonly Row[]) => rows.slice(0, MAX_LISTED).map(({ url }) => url);
  const { beforeId, added, removed, updated, isVerdict, withheld } = diff;
  return {
    beforeId,
    added,
    removed,
    updated,
    isVerdict,
    withheld,
    urlsAdded: first(samples.added),
    urlsRemoved: first(samples.removed),
    urlsUpdated: first(samples.updated),
    filesAdded: diff.filesAdded.slice(0, MAX_LISTED),
    filesRemoved: diff.filesRemoved.slice(0, MAX_LISTED),
    filesChanged: diff.filesChanged.slice(0, MAX_LISTED),
  };
}

export const toWireEntries = (
  { rows, total, snapshotId, prefixes }: EntryList,
  after: number,
): ListEntriesResponse => ({
  entries: [...rows],
  total,
  snapshotId,
  next: rows.length > 0 && after + rows.length < total ? after + rows.length : undefined,
  prefixes: [...prefixes],
});
