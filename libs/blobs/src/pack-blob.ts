import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, type ZstdOptions, zstdCompress, zstdCompressSync } from 'node:zlib';

export interface StoredBlob {
  /** SHA-256 of the bytes before compression, in hex: the blob's name. */
  readonly sha256: string;
  /** Length before compression. */
  readonly bytes: number;
}

/** A body named and compressed, ready to be kept. */
export interface PackedBlob extends StoredBlob {
  readonly packed: Uint8Array;
}

/** Told its length beforehand, the compressor takes a window of the body's size: half the time for bodies of some 50 KB. */
const optionsFor = ({ length }: Uint8Array): ZstdOptions => ({
  params: { [constants.ZSTD_c_compressionLevel]: 3 },
  pledgedSrcSize: length,
  chunkSize: Math.min(64 * 1024, Math.max(1024, length)),
});

const compressLater = promisify(zstdCompress);

const namesOf = (bytes: Uint8Array): StoredBlob => ({
  sha256: createHash('sha256').update(bytes).digest('hex'),
  bytes: bytes.length,
});

/** Names and compresses a body on the thread that calls: for bodies that are small, and threads that have nothing else to do. */
export const packBlob = (bytes: Uint8Array): PackedBlob => ({
  ...namesOf(bytes),
  packed: zstdCompressSync(bytes, optionsFor(bytes)),
});

/** Names a body and compresses it on another thread. */
export const packBlobLater = async (bytes: Uint8Array): Promise<PackedBlob> => ({
  ...namesOf(bytes),
  packed: await compressLater(bytes, optionsFor(bytes)),
});
