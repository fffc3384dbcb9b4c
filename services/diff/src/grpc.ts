import { DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, type HandlerContext, handle } from '@tidemark/service';
import type { CompareDesk } from './compare-desk.ts';
import type { PictureDesk } from './pictures/picture-desk.ts';
import { type DigestStore, readDigest } from './store/digest-store.ts';
import type { EntryStore } from './store/entry-store.ts';
import type { RecordViews } from './store/record-views.ts';
import { toWireEntry, toWireFacts, toWireRecord } from './to-wire.ts';

const MAX_LIMIT = 1_000;
const MAX_NEWEST = 200;
const KINDS: readonly string[] = [
  ...['', 'added', 'removed', 'modified', 'withheld', 'unverified', 'same', 'template', 'changed'],
];

const within = (limit: number, most: number): number => Math.min(Math.max(limit, 1), most);

const askedBy = (ctx: HandlerContext) => ({ caller: callerOf(ctx), requestId: ctx.requestId });
/** A key that is for other projects sees nothing of this one. */
const mustSee = (ctx: HandlerContext, projectId: string) => {
  const caller = callerOf(ctx);
  if (caller.projects.length > 0 && !caller.projects.includes(projectId))
    throw new AppError('not_found', 'there is no such project');
  return caller;
};

/** The face of diff: proto in, use case, proto out. */
export function diffGrpc(deps: {
  readonly records: RecordViews;
  readonly entries: EntryStore;
  readonly digests: DigestStore;
  readonly desk: CompareDesk;
  readonly pictures: PictureDesk;
}): BoundMethod[] {
  const { records, entries, digests, desk, pictures } = deps;
  return [
    handle(Rpc.getRecord, async ({ projectId, runId, after, limit, kind, unreviewed }, ctx) => {
      if (!KINDS.includes(kind)) throw new AppError('validation', `kind: there is no kind "${kind}"`);
      const caller = mustSee(ctx, projectId);
      const record = await records.find(caller, projectId, runId);
      if (record === undefined) return { record: undefined, entries: [], last: 0, isMore: false };
      const most = within(limit, MAX_LIMIT);
      const wish = { projectId, runId: record.runId, after: Math.max(after, 0), limit: most + 1, kind, unreviewed };
      const found = await entries.list(caller, wish);
      const shown = found.slice(0, most);
      return {
        record: toWireRecord(record),
        entries: shown.map(toWireEntry),
        last: shown.at(-1)?.place ?? after,
        isMore: found.length > most,
      };
    }),
    handle(Rpc.listEntries, async ({ projectId, limit }, ctx) => ({
      entries: (await entries.newest(mustSee(ctx, projectId), projectId, within(limit, MAX_NEWEST))).map(toWireEntry),
    })),
    handle(Rpc.listChangeEvents, async ({ projectId, runId, after, limit }, ctx) => {
      const most = within(limit, MAX_LIMIT);
      const wish = { projectId, runId, after: Math.max(after, 0), limit: most + 1, kind: '', unreviewed: false };
      const found = await entries.list(mustSee(ctx, projectId), wish);
      const seen = found.slice(0, most);
      return { events: seen.flatMap(toWireFacts), last: seen.at(-1)?.place ?? after, isMore: found.length > most };
    }),
    handle(Rpc.reviewEntry, async ({ projectId, entryId, reviewed }, ctx) => {
      const entry = await entries.review(mustSee(ctx, projectId), { projectId, entryId, reviewed });
      if (entry === undefined) throw new AppError('not_found', 'there is no such change');
      return { entry: toWireEntry(entry) };
    }),
    handle(Rpc.storeDigest, async ({ projectId, runId, digestJson }, ctx) => {
      const caller = mustSee(ctx, projectId);
      if (!(await digests.keep(caller, { projectId, runId, digest: readDigest(digestJson) })))
        throw new AppError('not_found', 'there is no such record');
      return {};
    }),
    ...comparisons(desk, pictures),
  ];
}

/** Two readings of one page, compared while somebody waits. */
function comparisons(desk: CompareDesk, pictures: PictureDesk): BoundMethod[] {
  return [
    handle(Rpc.comparePage, async ({ readings }, ctx) => {
      mustSee(ctx, readings?.projectId ?? '');
      return desk.page(askedBy(ctx), readings);
    }),
    handle(Rpc.compareMarkup, async ({ readings }, ctx) => {
      mustSee(ctx, readings?.projectId ?? '');
      return desk.markup(askedBy(ctx), readings);
    }),
    handle(Rpc.comparePictures, async ({ readings, draw }, ctx) => {
      mustSee(ctx, readings?.projectId ?? '');
      return pictures.compare(askedBy(ctx), readings, draw);
    }),
  ];
}
