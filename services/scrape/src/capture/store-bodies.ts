import type { BlobStore } from '@tidemark/blobs';
import type { BlobRef, PageRow } from '@tidemark/contracts/page/v1/page';
import type { StoredContent } from '../domain/page-row.ts';
import type { Captured } from './capture-deps.ts';

/** Blob references of a row. */
export type StoredBodies = Pick<PageRow, 'content' | 'screenshot' | 'evidence'>;

/**
 * Stores all blobs that a row references, before the row.
 * @param gatherMs time that a body may wait for those of other pages, with which it shares a sync; 0 if a client waits for the page
 */
export async function storeBodies(
  blobs: BlobStore,
  { row, bodies, kept, screenshot, evidence }: Captured,
  gatherMs = 0,
): Promise<StoredBodies> {
  const put = async (bytes: Uint8Array | undefined, known: BlobRef | undefined) =>
    bytes === undefined ? known : blobs.put(bytes, gatherMs);
  const [content, picture, proof] = await Promise.all([
    kept === undefined ? put(bodies, undefined) : keep(blobs, kept, gatherMs),
    put(screenshot, row.screenshot),
    put(evidence === undefined ? undefined : Buffer.from(JSON.stringify(evidence)), undefined),
  ]);
  return { content, screenshot: picture, evidence: proof };
}

function keep(blobs: BlobStore, kept: StoredContent, gatherMs: number): BlobRef | Promise<BlobRef> {
  if ('packed' in kept) return blobs.putPacked(kept, gatherMs);
  return 'segment' in kept ? blobs.commit(kept, gatherMs) : kept;
}
