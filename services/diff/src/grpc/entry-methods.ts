import type { ProjectAccess } from '@tidemark/contracts';
import { type ChangePosition, DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { EntryStore, ListedPosition } from '../store/entry-store.ts';
import type { IgnoredBlockStore } from '../store/ignored-block-store.ts';
import type { RecordReader } from '../store/record-views.ts';
import { kindsOf } from './entry-kinds.ts';
import { clamp, MAX_PAGE_SIZE, requireProjectAccess } from './requests.ts';
import { toWireEntry, toWireIgnored } from './to-wire.ts';

const MAX_NEWEST_ENTRIES = 200;

export interface EntryMethodDeps {
  readonly records: RecordReader;
  readonly entries: EntryStore;
  readonly ignoredBlocks: IgnoredBlockStore;
  readonly now: () => Date;
}

/** A record is committed within this time after the time that it states. */
const UNCOMMITTED_MS = 120_000;

/** Returns the projects that a request names and its caller may access. */
function projectsOf(access: ProjectAccess, named: readonly string[] | undefined): readonly string[] | 'all' {
  if (access.kind === 'all') return named ?? 'all';
  return access.projects.filter((id) => named?.includes(id) ?? true);
}

function positionOf(after: ChangePosition | undefined): ListedPosition | undefined {
  if (after === undefined) return undefined;
  const { madeAt, runId, position } = after;
  if (madeAt === undefined) throw new AppError('validation', 'after: expected the time of the record');
  return { madeAt, runId, position };
}

/** The methods that read entries and ignored changes, and review entries. */
export function entryMethods({ records, entries, ignoredBlocks, now }: EntryMethodDeps): BoundMethod[] {
  return [
    handle(Rpc.listEntries, async ({ projectId, limit }, ctx) => {
      const caller = requireProjectAccess(ctx, projectId);
      const newest = await entries.newest(caller, projectId, clamp(limit, MAX_NEWEST_ENTRIES));
      return { entries: newest.map(toWireEntry) };
    }),
    handle(Rpc.listChanges, async ({ only, since, kind, unreviewed, after, limit }, ctx) => {
      const completeUntil = new Date(now().getTime() - UNCOMMITTED_MS);
      const caller = callerOf(ctx);
      const projectIds = projectsOf(caller.access, only?.ids);
      const pageSize = clamp(limit, MAX_PAGE_SIZE);
      const query = {
        projectIds,
        since,
        after: positionOf(after),
        kinds: kindsOf(kind),
        unreviewed,
        limit: pageSize + 1,
      };
      const found = await entries.listed(caller, query);
      const changes = found
        .slice(0, pageSize)
        .map(({ projectId, madeAt, ...view }) => ({ entry: toWireEntry(view), projectId, madeAt }));
      return { changes, isMore: found.length > pageSize, completeUntil };
    }),
    handle(Rpc.reviewEntry, async ({ projectId, entryId, reviewed }, ctx) => {
      const caller = requireProjectAccess(ctx, projectId);
      const entry = await entries.review(caller, { projectId, entryId, reviewed });
      if (entry === undefined) throw new AppError('not_found', 'change not found');
      return { entry: toWireEntry(entry) };
    }),
    handle(Rpc.reviewEntries, async (request, ctx) => {
      const { projectId, entryIds, reviewed } = request;
      const kinds = kindsOf(request.kind);
      if (entryIds.length > MAX_PAGE_SIZE)
        throw new AppError('validation', `change_ids: expected at most ${MAX_PAGE_SIZE} ids, got ${entryIds.length}`);
      const caller = requireProjectAccess(ctx, projectId);
      const record = await records.find(caller, projectId, request.runId);
      if (record === undefined) return { runId: undefined, matched: 0, changed: 0 };
      const { runId } = record;
      const selection = {
        projectId,
        runId,
        kinds,
        // A request without ids names all entries of its kind.
        entryIds: entryIds.length === 0 ? ('all' as const) : entryIds,
        reviewed,
      };
      return { runId, ...(await entries.reviewMany(caller, selection)) };
    }),
    handle(Rpc.listIgnoredBlocks, async ({ projectId, runId, url, after, limit }, ctx) => {
      const caller = requireProjectAccess(ctx, projectId);
      const record = await records.find(caller, projectId, runId);
      if (record === undefined) return { runId: undefined, blocks: [], last: 0, isMore: false };
      const pageSize = clamp(limit, MAX_PAGE_SIZE);
      const query = { projectId, runId: record.runId, url, after: Math.max(after, 0), limit: pageSize + 1 };
      const found = await ignoredBlocks.list(caller, query);
      const page = found.slice(0, pageSize);
      return {
        runId: record.runId,
        blocks: page.map(toWireIgnored),
        last: page.at(-1)?.position ?? after,
        isMore: found.length > pageSize,
      };
    }),
    handle(Rpc.getIgnoredBlock, async ({ projectId, id }, ctx) => {
      const found = await ignoredBlocks.find(requireProjectAccess(ctx, projectId), projectId, id);
      if (found === undefined) throw new AppError('not_found', 'ignored change not found');
      return { block: toWireIgnored(found) };
    }),
  ];
}
