import type { MapJob, SnapshotDiff as WireDiff, Snapshot as WireSnapshot } from '@tidemark/contracts/map/v1/map';
import type { Discovered, Snapshot } from './discovery.ts';
import type { Job } from './domain/job.ts';
import type { RobotsFacts, SiteFile } from './domain/tree.ts';

/** Addresses listed of each kind of change. */
const MAX_LISTED = 1_000;

const toRobots = (robots: RobotsFacts) => ({ ...robots, sitemaps: [...robots.sitemaps] });

export const toWireJob = (job: Job): MapJob => ({
  id: job.id,
  status: job.status,
  url: job.url,
  createdAt: job.createdAt,
  finishedAt: job.finishedAt,
  done: job.done,
  total: job.total,
  creditsUsed: job.credits,
  error: job.error,
  stop: job.stop,
  requestId: job.requestId,
  totals: job.totals,
  method: job.method,
  robots: job.robots === undefined ? undefined : toRobots(job.robots),
  rows: job.rows,
});

export const toWireFiles = (files: readonly SiteFile[]): SiteFile[] => [...files];

export const toWireSnapshot = ({ job, files, isComplete }: Snapshot): WireSnapshot => ({
  id: job.id,
  takenAt: job.finishedAt,
  complete: isComplete,
  robots: job.robots === undefined ? undefined : toRobots(job.robots),
  totals: job.totals,
  files: toWireFiles(files),
});

export const toWireDiff = (diff: NonNullable<Discovered['diff']>): WireDiff => ({
  beforeId: diff.beforeId,
  added: diff.added.length,
  removed: diff.removed.length,
  updated: diff.updated.length,
  urlsAdded: diff.added.slice(0, MAX_LISTED),
  urlsRemoved: diff.removed.slice(0, MAX_LISTED),
  urlsUpdated: diff.updated.slice(0, MAX_LISTED),
  filesAdded: diff.filesAdded.slice(0, MAX_LISTED),
  filesRemoved: diff.filesRemoved.slice(0, MAX_LISTED),
  isVerdict: diff.isVerdict,
});
