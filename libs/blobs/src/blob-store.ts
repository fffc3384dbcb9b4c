import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdDecompress, zstdDecompressSync } from 'node:zlib';
import { AppError } from '@tidemark/errors';
import { type PackedBlob, packBlob, packBlobLater, type StoredBlob } from './pack-blob.ts';
import { readAnywhere } from './shelf.ts';

/** Where compressed bytes are kept under a name. Two drivers: a folder and an S3 bucket. */
export interface BlobDriver {
  /** Durable when it resolves. Writing a name that is there already changes nothing. */
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** Undefined where there is no such name. */
  read(name: string): Promise<Uint8Array | undefined>;
  /** Resolves when the store answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** Below this, handing the work to another thread costs more than doing it. */
const INLINE_BYTES = 128 * 1024;
/** A blob that would unpack to more is damaged or hostile. */
const MAX_BYTES = 256 * 1024 * 1024;
const NAME = /^[0-9a-f]{64}$/;
const decompressLater = promisify(zstdDecompress);

/** Content-addressed bodies (the claim-check pattern): a row or a message carries the reference, never the body. */
export class BlobStore {
  readonly #driver: BlobDriver;

  constructor(driver: BlobDriver) {
    this.#driver = driver;
  }

  /** Keeps the bytes, once however often they are put. Durable when it resolves. @throws AppError unavailable */
  async put(bytes: Uint8Array): Promise<StoredBlob> {
    return this.keep(bytes.length <= INLINE_BYTES ? packBlob(bytes) : await packBlobLater(bytes));
  }

  /** Keeps what was packed elsewhere. Durable when it resolves. @throws AppError unavailable */
  async keep({ sha256, bytes, packed }: PackedBlob): Promise<StoredBlob> {
    await this.#driver.write(sha256, packed).catch((cause: unknown) => {
      throw new AppError('unavailable', 'the blob store does not take anything at the moment', {
        cause,
        retryAfterSeconds: 2,
      });
    });
    return { sha256, bytes };
  }

  /** @throws AppError not_found where there is no such blob, internal where it is damaged, unavailable where the store is away */
  async get(sha256: string): Promise<Buffer> {
    if (!NAME.test(sha256)) throw new AppError('not_found', 'there is no such blob');
    const packed = await readAnywhere(this.#driver, sha256).catch((cause: unknown) => {
      throw new AppError('unavailable', 'the blob store does not answer at the moment', {
        cause,
        retryAfterSeconds: 2,
      });
    });
    if (packed === undefined) throw new AppError('not_found', 'there is no such blob');
    const options = { maxOutputLength: MAX_BYTES };
    const bytes =
      packed.length <= INLINE_BYTES / 4 ? zstdDecompressSync(packed, options) : await decompressLater(packed, options);
    if (createHash('sha256').update(bytes).digest('hex') !== sha256)
      throw new AppError('internal', 'a stored body is damaged');
    return bytes;
  }

  ping(): Promise<void> {
    return this.#driver.ping();
  }

  close(): Promise<void> {
    return this.#driver.close();
  }
}
