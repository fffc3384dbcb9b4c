import type { Discovery } from '@tidemark/api';
import type { DiscoveryResponse, SnapshotDiff } from '@tidemark/contracts/map/v1/map';
import { timeOf } from '../../responses/job-envelope.ts';
import { toMapFile, toRobots, toTotals } from '../../responses/map-envelope.ts';

type Snapshot = NonNullable<Discovery['discovery']>;

const toDiff = (diff: SnapshotDiff): NonNullable<Snapshot['diff']> => ({
  before: diff.beforeId,
  verdict: diff.isVerdict,
  withheld: diff.withheld ?? null,
  counts: { added: diff.added, removed: diff.removed, updated: diff.updated },
  added: diff.urlsAdded,
  removed: diff.urlsRemoved,
  updated: diff.urlsUpdated,
  filesAdded: diff.filesAdded,
  filesRemoved: diff.filesRemoved,
  filesChanged: diff.filesChanged,
});

/** Converts a stored sitemap tree. */
export function toDiscovery(
  { snapshot, diff, running, kept }: DiscoveryResponse,
  { baseUrl, requestId }: { readonly baseUrl: string; readonly requestId: string },
): Discovery {
  return {
    discovery:
      snapshot === undefined
        ? null
        : {
            id: snapshot.id,
            takenAt: timeOf(snapshot.takenAt),
            complete: snapshot.complete,
            robots: toRobots(snapshot.robots),
            totals: toTotals(snapshot.totals),
            files: snapshot.files.map(toMapFile),
            diff: diff === undefined ? null : toDiff(diff),
          },
    job: running === undefined ? null : { id: running, url: `${baseUrl}/map/${running}` },
    kept: kept.map(({ id, takenAt }) => ({ id, takenAt: timeOf(takenAt) })),
    creditsUsed: 0,
    request_id: requestId,
  };
}
