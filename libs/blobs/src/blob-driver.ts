/** Stores compressed bytes by name. Implemented for a folder and an S3 bucket. */
export interface BlobDriver {
  /** Writes a blob durably. Does nothing if the name exists. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** @returns undefined if the name does not exist */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Lists the name of every blob, in no order. A blob that is written or deleted meanwhile may be in the list or not. */
  names(): AsyncIterable<string>;
  /** Resolves if the store is available. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
