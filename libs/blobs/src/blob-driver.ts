/** Stores compressed bytes by name. Implemented for a folder and an S3 bucket. */
export interface BlobDriver {
  /** Writes a blob durably. Does nothing if the name exists. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** @returns undefined if the name does not exist */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Resolves if the store is available. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
