import { hash } from 'node:crypto';
import { AppError } from '@tidemark/errors';
import type { AppendedBlob, BlobDriver } from './blob-driver.ts';
import { nameInTrash } from './files/trash-name.ts';
import { type PackedBlob, packBlob, packBlobAsync, type StoredBlob } from './pack-blob.ts';
import { DamagedEntry } from './segments/segment-driver.ts';
import { unpackBlob } from './unpack-blob.ts';

/** Bodies up to this size are compressed on the calling thread, which is faster than a hand-over to the thread pool. */
const INLINE_BYTES = 128 * 1024;
const NAME = /^[0-9a-f]{64}$/;
const NONE: ReadonlyMap<string, Uint8Array> = new Map();

/** Returns the bytes if their hash is their name. @throws AppError internal */
function verified(sha256: string, bytes: Buffer): Buffer {
  if (hash('sha256', bytes) !== sha256) throw new AppError('internal', 'a stored body is damaged');
  return bytes;
}

/** Stores bodies under their SHA-256 (claim check pattern: rows and messages carry the reference, never the body). */
export class BlobStore {
  readonly #driver: BlobDriver;

  constructor(driver: BlobDriver) {
    this.#driver = driver;
  }

  /** Stores bytes durably. Equal bytes are stored once. @param gatherMs as for `putPacked` @throws AppError unavailable */
  async put(bytes: Uint8Array, gatherMs = 0): Promise<StoredBlob> {
    return this.putPacked(bytes.length <= INLINE_BYTES ? packBlob(bytes) : await packBlobAsync(bytes), gatherMs);
  }

  /**
   * Stores a packed blob durably.
   * @param gatherMs time that it may wait for others, with which it then shares a sync; a batch of 50 does not wait
   * @throws AppError unavailable
   */
  async putPacked(blob: PackedBlob, gatherMs = 0): Promise<StoredBlob> {
    await this.#driver.write(blob, gatherMs).catch(refuseWrite);
    return { sha256: blob.sha256, bytes: blob.bytes };
  }

  /**
   * Makes a body durable that a thread has appended (`openAppender`), and stores it.
   * @param gatherMs as for `putPacked`
   * @throws AppError unavailable
   */
  async commit(blob: AppendedBlob, gatherMs = 0): Promise<StoredBlob> {
    if (this.#driver.commit === undefined) throw new AppError('internal', 'the blob store has no segments');
    await this.#driver.commit(blob, gatherMs).catch(refuseWrite);
    return { sha256: blob.sha256, bytes: blob.bytes };
  }

  /** @throws AppError not_found if the blob does not exist, internal if it is damaged, unavailable if the store is */
  async get(sha256: string): Promise<Buffer> {
    return (await this.#read(sha256)).bytes;
  }

  /** Returns the blobs of these names in their order, read in batches. @throws AppError as `get` */
  async getMany(sha256s: readonly string[]): Promise<Buffer[]> {
    const found = await this.#readMany(sha256s);
    return Promise.all(
      sha256s.map(async (sha256) => {
        const packed = found.get(sha256);
        return packed === undefined ? this.get(sha256) : verified(sha256, await unpackBlob(packed));
      }),
    );
  }

  /** A failure is reported by the read of the single blob. */
  async #readMany(sha256s: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const names = sha256s.filter((sha256) => NAME.test(sha256));
    if (names.length < 2 || this.#driver.readMany === undefined) return NONE;
    return this.#driver.readMany(names).catch(() => NONE);
  }

  /** Returns a blob as it is stored, after its hash was verified. For copies to another store. @throws AppError as `get` */
  async getPacked(sha256: string): Promise<PackedBlob> {
    const { packed, bytes } = await this.#read(sha256);
    return { sha256, bytes: bytes.length, packed };
  }

  /** Lists every blob, also those in the trash, in no order. A blob that moves to the trash or into a segment meanwhile may be listed twice. */
  async *list(): AsyncIterable<string> {
    for await (const name of this.#driver.names()) {
      const sha256 = nameInTrash(name) ?? name;
      if (NAME.test(sha256)) yield sha256;
    }
  }

  async #read(sha256: string): Promise<{ packed: Uint8Array; bytes: Buffer }> {
    const packed = await this.readPacked(sha256);
    return { packed, bytes: verified(sha256, await unpackBlob(packed)) };
  }

  /** Returns the compressed body, which is not compared with its name. @throws AppError as `get` */
  async readPacked(sha256: string): Promise<Uint8Array> {
    if (!NAME.test(sha256)) throw new AppError('not_found', 'blob not found');
    const packed = await this.#driver.read(sha256).catch((cause: unknown) => {
      if (cause instanceof DamagedEntry) throw new AppError('internal', 'a stored body is damaged', { cause });
      throw new AppError('unavailable', 'reading from the blob store failed; try again shortly', {
        cause,
        retryAfterSeconds: 2,
      });
    });
    if (packed === undefined) throw new AppError('not_found', 'blob not found');
    return packed;
  }

  ping(): Promise<void> {
    return this.#driver.ping();
  }

  close(): Promise<void> {
    return this.#driver.close();
  }
}

function refuseWrite(cause: unknown): never {
  throw new AppError('unavailable', 'writing to the blob store failed; try again shortly', {
    cause,
    retryAfterSeconds: 2,
  });
}
