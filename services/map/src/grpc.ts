import { MapServiceService as Rpc, type MapOptions as WireOptions } from '@tidemark/contracts/map/v1/map';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, currentTrace, handle } from '@tidemark/service';
import { parseWebUrl } from '@tidemark/web-url';
import { type Discovery, isChangeSet } from './discovery/discovery.ts';
import type { Documents } from './documents.ts';
import { type Job, type MapOptions, SITEMAP_MODES } from './domain/job.ts';
import type { MapDesk } from './map-desk.ts';
import { readDocuments, readRows } from './read-rows.ts';
import type { JobStore } from './store/job-store.ts';
import { toWireDiscovery, toWireEntries, toWireFiles, toWireJob } from './to-wire.ts';

const MAX_ROWS = 50_000;
const MAX_LIMIT = 1_000;
const MAX_WAIT_MS = 60_000;
const MAX_ID_CHARS = 64;

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

function projectOf(id: string | undefined): string {
  if (id !== undefined && id.length > MAX_ID_CHARS) throw new AppError('validation', 'project_id: that is no id');
  return id ?? '';
}

export interface MapFace {
  readonly desk: MapDesk;
  readonly jobs: JobStore;
  readonly discovery: Discovery;
  readonly blobs: Documents;
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
        projectId: projectOf(request.projectId),
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
    handle(Rpc.discovery, async ({ url, snapshotId, projectId }, ctx) => {
      const wish = {
        workspaceId: callerOf(ctx).workspaceId,
        url: checked(url),
        projectId: projectOf(projectId),
        snapshotId,
      };
      return toWireDiscovery(await discovery.read(wish));
    }),
    handle(Rpc.listEntries, async ({ url, snapshotId, projectId, file, set, prefix, q, ...page }, ctx) => {
      const wish = {
        workspaceId: callerOf(ctx).workspaceId,
        url: checked(url),
        projectId: projectOf(projectId),
        snapshotId,
      };
      const after = Math.max(page.after, 0);
      const wanted = { prefix, q, after, limit: Math.min(Math.max(page.limit, 1), MAX_LIMIT) };
      if (set === undefined || set === '') return toWireEntries(await discovery.declared(wish, file, wanted), after);
      if (!isChangeSet(set)) throw new AppError('validation', 'a set of changes is added, removed or updated');
      return toWireEntries(await discovery.changed(wish, set, wanted), after);
    }),
  ];
}
