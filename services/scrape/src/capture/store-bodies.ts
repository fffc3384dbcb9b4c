import type { BlobStore } from '@tidemark/blobs';
import type { BlobRef, PageRow } from '@tidemark/contracts/page/v1/page';
import type { Captured } from './capture-deps.ts';

/** Blob references of a row. */
export type StoredBodies = Pick<PageRow, 'content' | 'screenshot' | 'evidence'>;

/** Stores all blobs that a row references, before the row. */
export async function storeBodies(
  blobs: BlobStore,
  { row, bodies, kept, screenshot, evidence }: Captured,
): Promise<StoredBodies> {
  const put = async (bytes: Uint8Array | undefined, known: BlobRef | undefined) =>
    bytes === undefined ? known : blobs.put(bytes);
  const [content, picture, proof] = await Promise.all([
    kept === undefined ? put(bodies, undefined) : 'packed' in kept ? blobs.putPacked(kept) : kept,
    put(screenshot, row.screenshot),
    put(evidence === undefined ? undefined : Buffer.from(JSON.stringify(evidence)), undefined),
  ]);
  return { content, screenshot: picture, evidence: proof };
}
