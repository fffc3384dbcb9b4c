import type { Caller } from '@tidemark/contracts';
import { DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, handle } from '@tidemark/service';
import { checkedDigest, type DigestStore } from '../store/digest-store.ts';
import type { EntryQuery, EntryStore } from '../store/entry-store.ts';
import type { RecordReader } from '../store/record-views.ts';
import { kindsOf } from './entry-kinds.ts';
import { clamp, MAX_PAGE_SIZE, requireProjectAccess } from './requests.ts';
import { toWireChangeEvents, toWireEntry, toWireRecord, toWireStatus } from './to-wire.ts';

const MAX_COUNTED_RUNS = 100;

export interface RecordMethodDeps {
  readonly records: RecordReader;
  readonly entries: EntryStore;
  readonly digests: DigestStore;
}

/** The methods that read one record or several. */
export function recordMethods({ records, entries, digests }: RecordMethodDeps): BoundMethod[] {
  return [
    handle(Rpc.getRecord, async ({ projectId, runId, after, limit, kind, unreviewed }, ctx) => {
      const kinds = kindsOf(kind);
      const caller = requireProjectAccess(ctx, projectId);
      const record = await records.find(caller, projectId, runId);
      if (record === undefined) return { record: undefined, entries: [], last: 0, isMore: false };
      const query = { projectId, runId: record.runId, after, limit, kinds, unreviewed };
      const { page, last, isMore } = await listPage(entries, caller, query);
      return { record: toWireRecord(record), entries: page.map(toWireEntry), last, isMore };
    }),
    handle(Rpc.listChangeEvents, async ({ projectId, runId, after, limit }, ctx) => {
      const caller = requireProjectAccess(ctx, projectId);
      const query = { projectId, runId, after, limit, kinds: 'all' as const, unreviewed: false };
      const { page, last, isMore } = await listPage(entries, caller, query);
      return { events: page.flatMap(toWireChangeEvents), last, isMore };
    }),
    handle(Rpc.storeDigest, async ({ projectId, runId, digest }, ctx) => {
      const caller = requireProjectAccess(ctx, projectId);
      const isStored = await digests.store(caller, { projectId, runId, digest: checkedDigest(digest) });
      if (!isStored) throw new AppError('not_found', 'record not found');
      return {};
    }),
    handle(Rpc.listRecordCounts, async ({ projectId, runIds }, ctx) => {
      const caller = requireProjectAccess(ctx, projectId);
      const found = await records.counts(caller, projectId, runIds.slice(0, MAX_COUNTED_RUNS));
      return {
        records: found.map(({ runId, status, counts }) => ({
          runId,
          status: toWireStatus(status),
          counts: { ...counts },
        })),
      };
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
