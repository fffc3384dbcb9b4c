import type { MapJob as WireMapJob } from '@tidemark/contracts/map/v1/map';
import type { MapJob } from '../domain/job.ts';
import type { RobotsReport } from '../domain/tree.ts';

export const toRobots = (robots: RobotsReport) => ({ ...robots, sitemaps: [...robots.sitemaps] });

/** Converts a job for responses and for the event of its end. */
export const toWireJob = (job: MapJob): WireMapJob => ({
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
