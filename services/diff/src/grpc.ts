import { allowsProject, type Caller } from '@tidemark/contracts';
import { DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, type HandlerContext, handle } from '@tidemark/service';
import type { CompareScreenshots } from './compare-readings/compare-screenshots.ts';
import type { ReadingComparisonService } from './compare-readings/reading-comparison-service.ts';
import { type DigestStore, parseDigest } from './store/digest-store.ts';
import type { EntryQuery, EntryStore } from './store/entry-store.ts';
import type { IgnoredBlockStore } from './store/ignored-block-store.ts';
import type { RecordReader } from './store/record-views.ts';
import { toWireChangeEvents, toWireEntry, toWireIgnored, toWireRecord } from './wire/to-wire.ts';

const MAX_PAGE_SIZE = 1_000;
const MAX_NEWEST_ENTRIES = 200;
const MAX_COUNTED_RUNS = 100;
const KINDS: readonly string[] = [
  '',
  'added',
  'removed',
  'modified',
  'withheld',
  'unverified',
  'same',
  'template',
  'changed',
];

const clamp = (limit: number, max: number): number => Math.min(Math.max(limit, 1), max);

const callContextOf = (ctx: HandlerContext) => ({ caller: callerOf(ctx), requestId: ctx.requestId });

/** @throws AppError not_found if the caller's key is restricted to other projects */
const requireProjectAccess = (ctx: HandlerContext, projectId: string) => {
  const caller = callerOf(ctx);
  if (!allowsProject(caller.access, projectId)) throw new AppError('not_found', 'project not found');
  return caller;
};

export interface DiffGrpcDeps {
  readonly records: RecordReader;
  readonly entries: EntryStore;
  readonly ignoredBlocks: IgnoredBlockStore;
  readonly digests: DigestStore;
  readonly comparisons: ReadingComparisonService;
  readonly compareScreenshots: CompareScreenshots;
}

/** gRPC methods of DiffService: translate the request, call the store or use case, translate the result. */
export function diffGrpc({
  records,
  entries,
  ignoredBlocks,
  digests,
  comparisons,
  compareScreenshots,
}: DiffGrpcDeps): BoundMethod[] {
  return [
    ...recordMethods(records, entries, digests),
    ...entryMethods(entries),
    ...reviewMethods(records, entries),
    ...ignoredMethods(records, ignoredBlocks),
    ...comparisonMethods(comparisons, compareScreenshots),
  ];
}

/** Methods over many entries or records of a project. */
function reviewMethods(records: RecordReader, entries: EntryStore): BoundMethod[] {
  return [
    handle(Rpc.reviewEntries, async (request, ctx) => {
      const { projectId, kind, entryIds } = request;
      if (!KINDS.includes(kind)) throw new AppError('validation', `kind: unknown kind "${kind}"`);
      if (entryIds.length > MAX_PAGE_SIZE)
        throw new AppError('validation', `change_ids: expected at most ${MAX_PAGE_SIZE} ids, got ${entryIds.length}`);
      const caller = requireProjectAccess(ctx, projectId);
      const record = await records.find(caller, projectId, request.runId);
      if (record === undefined) return { runId: '', matched: 0, changed: 0 };
      const { runId } = record;
      return { runId, ...(await entries.reviewMany(caller, { ...request, runId })) };
    }),
    handle(Rpc.listRecordCounts, async ({ projectId, runIds }, ctx) => {
      const caller = requireProjectAccess(ctx, projectId);
      const found = await records.counts(caller, projectId, runIds.slice(0, MAX_COUNTED_RUNS));
      return { records: found.map(({ counts, ...record }) => ({ ...record, counts: { ...counts } })) };
    }),
  ];
}

function recordMethods(records: RecordReader, entries: EntryStore, digests: DigestStore): BoundMethod[] {
  return [
    handle(Rpc.getRecord, async ({ projectId, runId, after, limit, kind, unreviewed }, ctx) => {
      if (!KINDS.includes(kind)) throw new AppError('validation', `kind: unknown kind "${kind}"`);
      const caller = requireProjectAccess(ctx, projectId);
      const record = await records.find(caller, projectId, runId);
      if (record === undefined) return { record: undefined, entries: [], last: 0, isMore: false };
      const query = { projectId, runId: record.runId, after, limit, kind, unreviewed };
      const { page, last, isMore } = await listPage(entries, caller, query);
      return { record: toWireRecord(record), entries: page.map(toWireEntry), last, isMore };
    }),
    handle(Rpc.listChangeEvents, async ({ projectId, runId, after, limit }, ctx) => {
      const caller = requireProjectAccess(ctx, projectId);
      const query = { projectId, runId, after, limit, kind: '', unreviewed: false };
      const { page, last, isMore } = await listPage(entries, caller, query);
      return { events: page.flatMap(toWireChangeEvents), last, isMore };
    }),
    handle(Rpc.storeDigest, async ({ projectId, runId, digestJson }, ctx) => {
      const caller = requireProjectAccess(ctx, projectId);
      const isStored = await digests.store(caller, { projectId, runId, digest: parseDigest(digestJson) });
      if (!isStored) throw new AppError('not_found', 'record not found');
      return {};
    }),
  ];
}

/** Lists one page of entries; requests one more than the page size to learn whether more follow. */
async function listPage(entries: EntryStore, caller: Caller, { after, limit, ...query }: EntryQuery) {
  const pageSize = clamp(limit, MAX_PAGE_SIZE);
  const found = await entries.list(caller, { ...query, after: Math.max(after, 0), limit: pageSize + 1 });
  const page = found.slice(0, pageSize);
  return { page, last: page.at(-1)?.position ?? after, isMore: found.length > pageSize };
}

function entryMethods(entries: EntryStore): BoundMethod[] {
  return [
    handle(Rpc.listEntries, async ({ projectId, limit }, ctx) => {
      const caller = requireProjectAccess(ctx, projectId);
      const newest = await entries.newest(caller, projectId, clamp(limit, MAX_NEWEST_ENTRIES));
      return { entries: newest.map(toWireEntry) };
    }),
    handle(Rpc.reviewEntry, async ({ projectId, entryId, reviewed }, ctx) => {
      const caller = requireProjectAccess(ctx, projectId);
      const entry = await entries.review(caller, { projectId, entryId, reviewed });
      if (entry === undefined) throw new AppError('not_found', 'change not found');
      return { entry: toWireEntry(entry) };
    }),
  ];
}

function ignoredMethods(records: RecordReader, ignoredBlocks: IgnoredBlockStore): BoundMethod[] {
  return [
    handle(Rpc.listIgnoredBlocks, async ({ projectId, runId, url, after, limit }, ctx) => {
      const caller = requireProjectAccess(ctx, projectId);
      const record = await records.find(caller, projectId, runId ?? '');
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

/** Methods that compare two stored readings of one page within the request. */
function comparisonMethods(
  comparisons: ReadingComparisonService,
  compareScreenshots: CompareScreenshots,
): BoundMethod[] {
  return [
    handle(Rpc.comparePage, async ({ readings }, ctx) => {
      requireProjectAccess(ctx, readings?.projectId ?? '');
      return comparisons.compareText(callContextOf(ctx), readings);
    }),
    handle(Rpc.compareMarkup, async ({ readings }, ctx) => {
      requireProjectAccess(ctx, readings?.projectId ?? '');
      return comparisons.compareMarkup(callContextOf(ctx), readings);
    }),
    handle(Rpc.comparePictures, async ({ readings, draw }, ctx) => {
      requireProjectAccess(ctx, readings?.projectId ?? '');
      return compareScreenshots(callContextOf(ctx), readings, draw);
    }),
  ];
}
