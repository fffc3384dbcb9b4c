import { JobStatus } from '@tidemark/contracts/job/v1/job';
import { FileFinder, FileKind, FileVerdict, MapMethod } from '@tidemark/contracts/map/v1/map';
import { z } from 'zod';
import { type MapJob, NO_TOTALS, SITEMAP_MODES } from '../domain/job.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { type RobotsReport, type SiteFile, STOPS } from '../domain/tree.ts';
import type { JobModel, SnapshotModel } from '../generated/prisma/models.ts';

const Options = z.object({
  search: z.string(),
  limit: z.number(),
  sitemapMode: z.enum(SITEMAP_MODES),
  allowSubdomains: z.boolean(),
  forCrawl: z.boolean().default(false),
  perFile: z.boolean().optional(),
});
const Totals = z.object({ files: z.number(), urls: z.number(), indexes: z.number(), blocked: z.number() });
const Robots = z.object({
  status: z.number(),
  found: z.boolean(),
  allowed: z.boolean(),
  sitemaps: z.array(z.string()),
  crawlDelay: z.number().optional(),
  reason: z.string(),
});
/** A word of an enum; stored as an empty text where it is absent. */
const wordOrEmpty = <Word extends string>(words: Readonly<Record<string, Word>>) =>
  z.union([z.literal('').transform(() => undefined), z.enum(words)]);

const Enums = z.object({
  status: z.enum(JobStatus),
  stop: z.enum(STOPS).nullable(),
  method: wordOrEmpty(MapMethod),
});
const File: z.ZodType<SiteFile> = z.object({
  url: z.string(),
  parent: z.string(),
  foundBy: z.enum(FileFinder),
  kind: wordOrEmpty(FileKind).optional(),
  verdict: z.enum(FileVerdict),
  httpStatus: z.number(),
  bytes: z.number(),
  urls: z.number(),
  alternates: z.number(),
  foreign: z.number(),
  section: z.string(),
  lastmodFrom: z.string(),
  lastmodTo: z.string(),
  error: z.string(),
  entries: z.string(),
});

/** Converts a row of `jobs`. @throws ZodError if a stored value is invalid */
export function toJob(record: JobModel): MapJob {
  const { status, stop, method } = Enums.parse(record);
  return {
    id: record.id,
    workspaceId: record.workspaceId,
    chargeId: record.chargeId,
    status,
    actorId: record.actorId,
    url: record.url,
    site: record.site,
    projectId: record.projectId,
    options: Options.parse(record.options),
    requestId: record.requestId,
    attempts: record.attempts,
    credits: record.credits,
    done: record.done,
    total: record.total,
    error: record.error ?? undefined,
    stop: stop ?? undefined,
    createdAt: record.createdAt,
    finishedAt: record.finishedAt ?? undefined,
    method,
    totals: record.totals === null ? NO_TOTALS : Totals.parse(record.totals),
    robots: toRobots(record.robots),
    rows: record.rows,
    rowBlobs: record.rowBlobs,
  };
}

function toRobots(stored: unknown): RobotsReport | undefined {
  if (stored === null) return undefined;
  const robots = Robots.parse(stored);
  return { ...robots, crawlDelay: robots.crawlDelay };
}

/** Converts a row of `snapshots`. @throws ZodError if a stored value is invalid */
export function toSnapshot(record: SnapshotModel): Snapshot {
  const { id, workspaceId, projectId, site, subdomains, complete, takenAt } = record;
  const totals = Totals.parse(record.totals);
  return { id, workspaceId, projectId, site, subdomains, complete, takenAt, totals, robots: toRobots(record.robots) };
}

/** Converts the value of `files.file`. @throws ZodError if it is invalid */
export const toFile = (stored: unknown): SiteFile => File.parse(stored);

/** Returns the trace context in which a job was created; empty if the stored value is invalid. */
export function traceOf({ trace }: JobModel): Record<string, string> {
  return z.record(z.string(), z.string()).catch({}).parse(trace);
}
