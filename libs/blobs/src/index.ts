export type { BlobDriver } from './blob-driver.ts';
export { BlobStore } from './blob-store.ts';
export { type BlobTrash, openBlobTrash, ownerBlobUrl } from './blob-trash.ts';
export { type CollectDeps, collectBlobs, markUnreferenced } from './collect-blobs.ts';
export { openBlobs } from './open-blobs.ts';
export { type PackedBlob, packBlob, type StoredBlob } from './pack-blob.ts';
export { makeSyncBlobWriter } from './write-blob-sync.ts';
