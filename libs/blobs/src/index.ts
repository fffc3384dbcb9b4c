export type { AppendedBlob, BlobDriver } from './blob-driver.ts';
export type { BlobMaintenance, MaintenanceReport } from './blob-maintenance.ts';
export { BlobStore } from './blob-store.ts';
export type { BlobTrash } from './blob-trash.ts';
export { type CollectDeps, collectBlobs, maintainBlobs, markUnreferenced } from './collect-blobs.ts';
export { openAppender, openBlobMaintenance, openBlobs, openBlobTrash, ownerBlobUrl } from './open-blobs.ts';
export { type PackedBlob, packBlob, type StoredBlob } from './pack-blob.ts';
export type { SegmentAppender } from './segments/segment-appender.ts';
