import type { BlobStore } from '@tidemark/blobs';
import { MapServiceService as Rpc, type MapOptions as WireOptions } from '@tidemark/contracts/map/v1/map';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, currentTrace, handle } from '@tidemark/service';
import { parseWebUrl } from '@tidemark/web-url';
import type { Discovery } from './discovery.ts';
import { type Job, type MapOptions, SITEMAP_MODES } from './domain/job.ts';
import type { MapDesk } from './map-desk.ts';
import { readDocuments, readRows } from './read-rows.ts';
import type { JobStore } from './store/job-store.ts';
import { toWireDiff, toWireFiles, toWireJob, toWireSnapshot } from './to-wire.ts';

const MAX_ROWS = 50_000;
const MAX_LIMIT = 1_000;
const MAX_WAIT_MS = 60_000;

function toOptions(options: WireOptions | undefined): MapOptions {
  const sitemapMode = SITEMAP_MODES.find((mode) => mode === (options?.sitemapMode || 'auto'));
  if (options === undefined || sitemapMode === undefined)
    throw new AppError('validation', 'a map needs its options, and a sitemap mode of auto, only or skip');
  const { search, limit, allowSubdomains, forCrawl } = options;
  return { search, limit: Math.min(Math.max(limit, 1), MAX_ROWS), sitemapMode, allowSubdomains, forCrawl };
}

function checked(url: string): string {
  const parsed = parseWebUrl(url);
  if (!parsed.ok) throw new AppError('validation', `url: ${parsed.reason}`);
  return parsed.url.href;
}

export interface MapFace {
  readonly desk: MapDesk;
  readonly jobs: JobStore;
  readonly discovery: Discovery;
  readonly blobs: BlobStore;
}

/** The face of map: proto in, use case, proto out. */
export function mapGrpc({ desk, jobs, discovery, blobs }: MapFace): BoundMethod[] {
  const found = async (workspaceId: string, id: string): Promise<Job> => {
    const job = await jobs.find(workspaceId, id);
    if (job === undefined) throw new AppError('not_found', 'there is no such job');
    return job;
  };
  return [
    handle(Rpc.map, async (request, ctx) => {
      const caller = callerOf(ctx);
      const { job, mapped, replayed } = await desk.answer(caller, {
        url: checked(request.url),
        options: toOptions(request.options),
        waitMs: Math.min(request.waitMs, MAX_WAIT_MS),
        requestId: ctx.requestId,
        idempotencyKey: request.idempotencyKey,
        requestHash: request.requestHash,
        trace: currentTrace(),
      });
      const documents = mapped?.documents ?? (await readDocuments(blobs, job));
      const files =
        mapped?.findings.files ?? (job.status === 'done' ? await jobs.files(caller.workspaceId, job.id) : []);
      return { job: toWireJob(job), rows: [...documents], files: toWireFiles(files), replayed };
    }),
    handle(Rpc.getMap, async ({ id, withFiles }, ctx) => {
      const { workspaceId } = callerOf(ctx);
      const job = await found(workspaceId, id);
      return { job: toWireJob(job), files: withFiles ? toWireFiles(await jobs.files(workspaceId, id)) : [] };
    }),
    handle(Rpc.listMapRows, async ({ id, after, limit }, ctx) => {
      const job = await found(callerOf(ctx).workspaceId, id);
      return { rows: await readRows(blobs, job, Math.max(after, 0), Math.min(Math.max(limit, 1), MAX_LIMIT)) };
    }),
    handle(Rpc.discovery, async ({ url, snapshotId }, ctx) => {
      const { snapshot, diff, running } = await discovery.read(callerOf(ctx).workspaceId, checked(url), snapshotId);
      return {
        snapshot: snapshot === undefined ? undefined : toWireSnapshot(snapshot),
        diff: diff === undefined ? undefined : toWireDiff(diff),
        running,
      };
    }),
    handle(Rpc.listEntries, async ({ limit, after, ...wanted }, ctx) => {
      const { entries, total, file } = await discovery.entries(callerOf(ctx).workspaceId, {
        ...wanted,
        url: checked(wanted.url),
        after: Math.max(after, 0),
        limit: Math.min(Math.max(limit, 1), MAX_LIMIT),
      });
      const source = file.kind === 'feed' ? 'feed' : 'sitemap';
      const about = { source, file: file.url, section: file.section };
      return { entries: entries.map((entry) => ({ ...entry, ...about })), total };
    }),
  ];
}
