import { allowsProject, type Caller, reachesWorkOf, textOrEmpty } from '@tidemark/contracts';
import type { Activity } from '@tidemark/contracts/activity/v1/activity';
import { MapServiceService as Rpc, type MapOptions as WireOptions } from '@tidemark/contracts/map/v1/map';
import { AppError } from '@tidemark/errors';
import { toIdempotency } from '@tidemark/jobs';
import { type BoundMethod, callerOf, currentTrace, handle } from '@tidemark/service';
import { parseWebUrl } from '@tidemark/web-url';
import type { Discovery, SnapshotQuery } from '../discovery/discovery.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { readFirstDocuments, readRows } from '../documents/read-rows.ts';
import { type MapJob, type MapOptions, SITEMAP_MODES } from '../domain/job.ts';
import { MAX_FEED_ENTRIES, MAX_FEEDS, type ReadFeeds } from '../feeds/read-feeds.ts';
import type { StartMap } from '../jobs/start-map.ts';
import { toWireJob } from '../jobs/to-wire-job.ts';
import type { JobStore } from '../store/job-store.ts';
import { type FindSchemes, MAX_PROBED } from '../web/find-schemes.ts';
import { toWireDiscovery, toWireEntries, toWireFiles } from './to-wire.ts';

const MAX_ROW_LIMIT = 50_000;
const MAX_ROW_PAGE = 1_000;
/** Every page of ListEntries reads the whole tree, so pages may be large. */
const MAX_ENTRY_PAGE = 10_000;
const MAX_WAIT_MS = 60_000;
const MAX_ID_CHARS = 64;

const clamp = (value: number, max: number): number => Math.min(Math.max(value, 1), max);

function toOptions(options: WireOptions | undefined): MapOptions {
  const sitemapMode = SITEMAP_MODES.find((mode) => mode === (options?.sitemapMode || 'auto'));
  if (options === undefined || sitemapMode === undefined)
    throw new AppError('validation', 'options are required, with a sitemap_mode of auto, only or skip');
  const { search, limit, allowSubdomains, forCrawl, perFile } = options;
  return {
    search: textOrEmpty(search),
    limit: clamp(limit, MAX_ROW_LIMIT),
    sitemapMode,
    allowSubdomains,
    forCrawl,
    perFile,
  };
}

function parseUrl(url: string): string {
  const parsed = parseWebUrl(url);
  if (!parsed.ok) throw new AppError('validation', `url: ${parsed.reason}`);
  return parsed.url.href;
}

/** Returns whether the caller's key has access to a project; empty: to data of the workspace without a project. */
const canSee = ({ access }: Caller, projectId: string): boolean => projectId === '' || allowsProject(access, projectId);

function projectOf(caller: Caller, id = ''): string {
  if (id.length > MAX_ID_CHARS) throw new AppError('validation', 'project_id: expected an id');
  if (!canSee(caller, id)) throw new AppError('not_found', 'project not found');
  return id;
}

interface SnapshotSelector {
  readonly url: string;
  readonly projectId?: string | undefined;
  readonly snapshotId?: string | undefined;
}

const toSnapshotQuery = (caller: Caller, { url, projectId, snapshotId }: SnapshotSelector): SnapshotQuery => ({
  workspaceId: caller.workspaceId,
  url: parseUrl(url),
  projectId: projectOf(caller, projectId),
  snapshotId,
});

export interface MapGrpcDeps {
  readonly startMap: StartMap;
  readonly jobs: JobStore;
  readonly discovery: Discovery;
  readonly documents: DocumentStore;
  readonly readFeeds: ReadFeeds;
  readonly findSchemes: FindSchemes;
  /** Returns the unfinished maps of the caller. */
  readonly activityOf: (caller: Caller) => Promise<Activity>;
}

/** Implements the gRPC service: translates requests, calls the use case, translates results. */
export function mapGrpc({
  startMap,
  jobs,
  discovery,
  documents,
  readFeeds,
  findSchemes,
  activityOf,
}: MapGrpcDeps): BoundMethod[] {
  const findJob = async (caller: Caller, id: string): Promise<MapJob> => {
    const job = await jobs.find(caller.workspaceId, id);
    const isSeen = job?.projectId === '' ? reachesWorkOf(caller, job.actorId) : canSee(caller, job?.projectId ?? '');
    if (job === undefined || !isSeen) throw new AppError('not_found', 'job not found');
    return job;
  };
  return [
    handle(Rpc.map, async (request, ctx) => {
      const caller = callerOf(ctx);
      const { job, result, replayed } = await startMap(caller, {
        url: parseUrl(request.url),
        projectId: projectOf(caller, request.projectId),
        options: toOptions(request.options),
        waitMs: Math.min(request.waitMs, MAX_WAIT_MS),
        requestId: ctx.requestId,
        idempotency: toIdempotency(request),
        trace: currentTrace(),
      });
      const rows = result?.documents ?? (await readFirstDocuments(documents, job));
      const stored = () => (job.status === 'done' ? jobs.files(caller.workspaceId, job.id) : []);
      const files = result?.findings.files ?? (await stored());
      return { job: toWireJob(job), rows: [...rows], files: toWireFiles(files), replayed };
    }),
    handle(Rpc.getMap, async ({ id, withFiles }, ctx) => {
      const caller = callerOf(ctx);
      const job = await findJob(caller, id);
      return { job: toWireJob(job), files: withFiles ? toWireFiles(await jobs.files(caller.workspaceId, id)) : [] };
    }),
    handle(Rpc.listMapRows, async ({ id, after, limit }, ctx) => {
      const job = await findJob(callerOf(ctx), id);
      return { rows: await readRows(documents, job, Math.max(after, 0), clamp(limit, MAX_ROW_PAGE)) };
    }),
    handle(Rpc.discovery, async (request, ctx) =>
      toWireDiscovery(await discovery.get(toSnapshotQuery(callerOf(ctx), request))),
    ),
    handle(Rpc.listEntries, async ({ file, set, prefix, q, after: requestedAfter, limit, ...selector }, ctx) => {
      const query = toSnapshotQuery(callerOf(ctx), selector);
      const after = Math.max(requestedAfter, 0);
      const page = { prefix, q, after, limit: clamp(limit, MAX_ENTRY_PAGE) };
      if (set === undefined) return toWireEntries(await discovery.listEntries(query, file, page), after);
      return toWireEntries(await discovery.listChanges(query, set, page), after);
    }),
    feedMethod(readFeeds),
    handle(Rpc.findSchemes, async ({ urls }) => {
      if (urls.length > MAX_PROBED) throw new AppError('validation', `urls: at most ${MAX_PROBED}`);
      return { urls: await findSchemes(urls) };
    }),
    handle(Rpc.activity, async (_, ctx) => ({ activity: await activityOf(callerOf(ctx)) })),
  ];
}

const feedMethod = (readFeeds: ReadFeeds): BoundMethod =>
  handle(Rpc.readFeeds, async ({ urls, limit, withinMs }, ctx) => {
    callerOf(ctx);
    if (urls.length > MAX_FEEDS) throw new AppError('validation', `urls: at most ${MAX_FEEDS} feeds per request`);
    return { feeds: await readFeeds(urls, clamp(limit, MAX_FEED_ENTRIES), withinMs) };
  });
