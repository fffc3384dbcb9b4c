export { type BlobDriver, BlobStore } from './blob-store.ts';
export { type CollectDeps, collectBlobs, noteUnnamed, type Queries } from './collect-blobs.ts';
export { keepHere } from './keep-here.ts';
export { openBlobs } from './open-blobs.ts';
export { type PackedBlob, packBlob, type StoredBlob } from './pack-blob.ts';
export { openShelf, partOf, type Shelf } from './shelf.ts';
