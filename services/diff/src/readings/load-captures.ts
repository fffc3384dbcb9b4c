import { ArchiveServiceService as Archive } from '@tidemark/contracts/archive/v1/archive';
import { type Page, PageBodies } from '@tidemark/contracts/page/v1/page';
import { type CallContext, Coalescer, type Peer } from '@tidemark/service';
import { StoredBlocks } from '../comparison/stored-blocks.ts';
import type { CaptureRef } from '../domain/compared-readings.ts';
import type { ExtractedValues, PageContent } from '../domain/page-reading.ts';

const MAX_BATCH = 16;
const MAX_CONCURRENT_CALLS = 4;
const CALL_TIMEOUT_MS = 20_000;

/** Loads a capture with some of its bodies. Returns undefined for a capture that no longer exists. */
export type LoadCapture = (ref: CaptureRef) => Promise<Page | undefined>;

/** Makes a loader of captures, which batches requests per run. */
export function makeLoadCaptures(archive: Peer, bodies: readonly string[], call: CallContext): LoadCapture {
  const loadMany = async (refs: readonly CaptureRef[]): Promise<readonly (Page | undefined)[]> => {
    const found = new Map<string, Page>();
    const loadRun = async (runId: string, ofRun: readonly CaptureRef[]): Promise<void> => {
      let ids = [...new Set(ofRun.map(({ pageId }) => pageId))];
      while (ids.length > 0) {
        const query = { jobId: runId, limit: ids.length, bodies: [...bodies], expect: 0, waitMs: 0, ids };
        const options = { deadlineMs: CALL_TIMEOUT_MS };
        const { pages, nextCursor } = await archive.call(Archive.listPages, query, call, options);
        for (const page of pages) found.set(page.row?.id ?? '', page);
        // A response ends early where its bodies are large.
        ids = nextCursor === undefined ? [] : ids.slice(ids.indexOf(nextCursor) + 1);
      }
    };
    const byRun = [...Map.groupBy(refs, ({ runId }) => runId)];
    await Promise.all(byRun.map(([runId, ofRun]) => loadRun(runId, ofRun)));
    return refs.map(({ pageId }) => found.get(pageId));
  };
  const batched = new Coalescer(loadMany, { maxBatch: MAX_BATCH, maxWriters: MAX_CONCURRENT_CALLS });
  return (ref) => (ref.pageId === '' ? Promise.resolve(undefined) : batched.add(ref));
}

/** Makes a loader of capture bodies. Returns undefined for a capture that no longer exists. */
export function makeLoadBodies(archive: Peer, bodies: readonly string[], call: CallContext) {
  const loadCapture = makeLoadCaptures(archive, bodies, call);
  return async (ref: CaptureRef): Promise<PageBodies | undefined> => {
    const page = await loadCapture(ref);
    return page && PageBodies.decode(page.bodies);
  };
}

/** Makes a loader of the content that comparisons use. */
export function makeLoadContent(archive: Peer, call: CallContext) {
  const loadCapture = makeLoadCaptures(archive, ['blocks', 'fields', 'extraction'], call);
  return async (ref: CaptureRef): Promise<PageContent | undefined> => {
    const page = await loadCapture(ref);
    if (page === undefined) return undefined;
    const bodies = PageBodies.decode(page.bodies);
    if (bodies.blocks === undefined) return undefined;
    const fields = JSON.parse(bodies.fieldsJson ?? '{}');
    const blocks = new StoredBlocks(bodies.blocks);
    return { blocks, fields, extracted: extractedOf(bodies), product: page.row?.product };
  };
}

/** Returns the values that a language model extracted. */
export const extractedOf = ({ extraction }: PageBodies): ExtractedValues | undefined =>
  extraction?.valueJson === undefined
    ? undefined
    : { key: extraction.extractionKey, values: JSON.parse(extraction.valueJson) };
