import { type BlobStore, openBlobs, ownerBlobUrl, type StoredBlob } from '@tidemark/blobs';

/** Stores documents of rows, entries and changes under their SHA-256. */
export interface DocumentStore {
  put(bytes: Uint8Array): Promise<StoredBlob>;
  /** @throws AppError not_found */
  get(sha256: string): Promise<Buffer>;
}

/** Returns the URL of map's own part of the blob store. A blob there that no row of map references can be deleted. */
export const documentStoreUrl = (blobUrl: string): string => ownerBlobUrl(blobUrl, 'map');

/** Opens map's part of the blob store. */
export const openDocumentStore = (blobUrl: string): BlobStore => openBlobs(documentStoreUrl(blobUrl));
