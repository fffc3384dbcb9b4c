import { type BlobStore, openBlobs, partOf, type StoredBlob } from '@tidemark/blobs';
import { AppError } from '@tidemark/errors';

/** Where maps keep their documents. */
export interface Documents {
  put(bytes: Uint8Array): Promise<StoredBlob>;
  /** @throws AppError not_found */
  get(sha256: string): Promise<Buffer>;
}

/** The part of a blob store that is map's alone, so that what nobody here names is named by nobody. */
export const documentsAt = (blobUrl: string): string => partOf(blobUrl, 'map');

/** Opens them. What was written before they had a part of their own is read from the whole store. */
export function openDocuments(blobUrl: string): Documents & { ping(): Promise<void>; close(): Promise<void> } {
  const own: BlobStore = openBlobs(documentsAt(blobUrl));
  const whole: BlobStore = openBlobs(blobUrl);
  return {
    put: (bytes) => own.put(bytes),
    async get(sha256) {
      try {
        return await own.get(sha256);
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
        return whole.get(sha256);
      }
    },
    ping: () => own.ping(),
    async close() {
      await Promise.all([own.close(), whole.close()]);
    },
  };
}
