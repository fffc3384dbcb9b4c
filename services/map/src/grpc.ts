import type { Caller } from '@tidemark/contracts';
import { MapServiceService as Rpc, type MapOptions as WireOptions } from '@tidemark/contracts/map/v1/map';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, currentTrace, handle } from '@tidemark/service';
import { parseWebUrl } from '@tidemark/web-url';
import { type Discovery, isChangeSet, type SnapshotWish } from './discovery/discovery.ts';
import type { Documents } from './documents.ts';
import { type Job, type MapOptions, SITEMAP_MODES } from './domain/job.ts';
import { type FeedRead, MAX_FEED_ENTRIES, MAX_FEEDS } from './feeds/read-feeds.ts';
import type { MapDesk } from './map-desk.ts';
import { readDocuments, readRows } from './read-rows.ts';
import type { JobStore } from './store/job-store.ts';
import { toWireDiscovery, toWireEntries, toWireFiles, toWireJob } from './to-wire.ts';

const MAX_ROWS = 50_000;
const MAX_LIMIT = 1_000;
/** Each page of a list reads the whole tree: who counts all of it asks for large pages. */
const MAX_ENTRIES = 10_000;
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

/** Whether a caller may see what is a project's; what is none's is its workspace's. */
const sees = ({ projects }: Caller, projectId: string): boolean =>
  projectId === '' || projects.length === 0 || projects.includes(projectId);

function projectOf(caller: Caller, id = ''): string {
  if (id.length > MAX_ID_CHARS) throw new AppError('validation', 'project_id: that is no id');
  if (!sees(caller, id)) throw new AppError('not_found', 'there is no such project');
  return id;
}

interface Named {
  readonly url: string;
  readonly projectId?: string | undefined;
  readonly snapshotId: string;
}

const wishOf = (caller: Caller, { url, projectId, snapshotId }: Named): SnapshotWish => ({
  workspaceId: caller.workspaceId,
  url: checked(url),
  projectId: projectOf(caller, projectId),
  snapshotId,
});

export interface MapFace {
  readonly desk: MapDesk;
  readonly jobs: JobStore;
  readonly discovery: Discovery;
  readonly blobs: Documents;
  readonly readFeeds: (urls: readonly string[], limit: number) => Promise<FeedRead[]>;
}

/** The face of map: proto in, use case, proto out. */
export function mapGrpc({ desk, jobs, discovery, blobs, readFeeds }: MapFace): BoundMethod[] {
  const found = async (caller: Caller, id: string): Promise<Job> => {
    const job = await jobs.find(caller.workspaceId, id);
    if (job === undefined || !sees(caller, job.projectId)) throw new AppError('not_found', 'there is no such job');
    return job;
  };
  return [
    handle(Rpc.map, async (request, ctx) => {
      const caller = callerOf(ctx);
      const { job, mapped, replayed } = await desk.answer(caller, {
        url: checked(request.url),
        projectId: projectOf(caller, request.projectId),
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
      const caller = callerOf(ctx);
      const job = await found(caller, id);
      return { job: toWireJob(job), files: withFiles ? toWireFiles(await jobs.files(caller.workspaceId, id)) : [] };
    }),
    handle(Rpc.listMapRows, async ({ id, after, limit }, ctx) => {
      const job = await found(callerOf(ctx), id);
      return { rows: await readRows(blobs, job, Math.max(after, 0), Math.min(Math.max(limit, 1), MAX_LIMIT)) };
    }),
    handle(Rpc.discovery, async (request, ctx) =>
      toWireDiscovery(await discovery.read(wishOf(callerOf(ctx), request))),
    ),
    handle(Rpc.listEntries, async ({ file, set, prefix, q, ...page }, ctx) => {
      const wish = wishOf(callerOf(ctx), page);
      const after = Math.max(page.after, 0);
      const wanted = { prefix, q, after, limit: Math.min(Math.max(page.limit, 1), MAX_ENTRIES) };
      if (set === undefined || set === '') return toWireEntries(await discovery.declared(wish, file, wanted), after);
      if (!isChangeSet(set)) throw new AppError('validation', 'a set of changes is added, removed or updated');
      return toWireEntries(await discovery.changed(wish, set, wanted), after);
    }),
    feedMethod(readFeeds),
  ];
}

const feedMethod = (readFeeds: MapFace['readFeeds']): BoundMethod =>
  handle(Rpc.readFeeds, async ({ urls, limit }, ctx) => {
    callerOf(ctx);
    if (urls.length > MAX_FEEDS) throw new AppError('validation', `at most ${MAX_FEEDS} feeds at once`);
    return { feeds: await readFeeds(urls, Math.min(Math.max(limit, 1), MAX_FEED_ENTRIES)) };
  });
