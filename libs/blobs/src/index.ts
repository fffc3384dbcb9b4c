export { type BlobDriver, BlobStore, type StoredBlob } from './blob-store.ts';
export { openBlobs } from './open-blobs.ts';
