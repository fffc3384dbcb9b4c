import { type Entry, type GetRecordResponse, DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import type { PageChange } from '../destinations/driver.ts';
import type { Sync } from '../domain/sync.ts';
import type { SourceContext } from '../download/peers.ts';

const BATCH = 500;
const BATCH_DEADLINE_MS = 60_000;
/** Most entries that are held in memory, at about 100 bytes each. The changes of a longer record are not known. */
const MAX_ENTRIES = 200_000;
/** Verdicts of pages whose content was compared. */
const COMPARED = new Set(['ok', 'thin', 'cached']);

/** How the pages of a run differ from the run before. */
export type PageChanges = (page: { readonly url: string; readonly verdict: string }) => PageChange | undefined;

export const NO_CHANGES: PageChanges = () => undefined;

/** Reads the changes of a run from its record. A run without a record or without a run before has none that are known. */
export async function readPageChanges(
  { projectId, sourceId }: Pick<Sync, 'projectId' | 'sourceId'>,
  { peers, call, signal }: SourceContext,
): Promise<PageChanges> {
  const read = (after: number): Promise<GetRecordResponse> => {
    const request = { projectId, runId: sourceId, after, limit: BATCH, unreviewed: false };
    return peers.diff.call(Rpc.getRecord, request, call, { deadlineMs: BATCH_DEADLINE_MS, signal });
  };
  const kinds = new Map<string, Entry['kind']>();
  let hasRedesign = false;
  for (let response = await read(0); ; response = await read(response.last)) {
    const { record, entries, isMore } = response;
    if (record?.status !== 'made' || record.baselineRunId === undefined || record.entries > MAX_ENTRIES)
      return NO_CHANGES;
    for (const { url, kind, template } of entries) {
      if (kind === 'template') hasRedesign ||= template?.isRedesign === true;
      else kinds.set(url, kind);
    }
    if (!isMore || entries.length === 0) break;
  }
  return ({ url, verdict }) => {
    const kind = kinds.get(url);
    if (kind !== undefined) return toChange(kind);
    // A redesign is one entry for many pages, of which it does not list all.
    return COMPARED.has(verdict) && !hasRedesign ? 'same' : undefined;
  };
}

/** Withheld and unverified pages may have changed or not. */
const toChange = (kind: Entry['kind']): PageChange | undefined =>
  kind === 'added' || kind === 'modified' || kind === 'same' ? kind : undefined;
