import type { PackedBlob, StoredBlob } from './pack-blob.ts';

/** A body that a thread has appended to a segment. It is stored once `BlobStore.commit` has resolved. */
export interface AppendedBlob extends StoredBlob {
  readonly segment: string;
  /** Offset of the entry in the segment. */
  readonly at: number;
  /** Bytes of the entry. */
  readonly span: number;
}

/** Stores compressed bytes by name. Implemented for a folder and an S3 bucket. */
export interface BlobDriver {
  /** Writes a blob durably. Does nothing if it is stored. @param gatherMs time it may wait for others to share a sync with */
  write(blob: PackedBlob, gatherMs?: number): Promise<void>;
  /** Stores a blob that a thread has appended; absent: this store has no segments. */
  commit?(blob: AppendedBlob, gatherMs?: number): Promise<void>;
  /** @returns undefined if the name does not exist */
  read(sha256: string): Promise<Uint8Array | undefined>;
  /** Reads many blobs with few operations. @returns those that were found at once; the others are read one by one. Absent: the store has no such way */
  readMany?(sha256s: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
  /** Lists the name of every blob, in no order. A blob that is written or deleted meanwhile may be in the list or not. */
  names(): AsyncIterable<string>;
  /** Resolves if the store is available. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
