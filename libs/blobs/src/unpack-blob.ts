import { promisify } from 'node:util';
import { type ZstdOptions, zstdDecompress, zstdDecompressSync } from 'node:zlib';

/** Packed bodies up to this size are decompressed on the calling thread, which is faster than a hand-over to the thread pool. */
const INLINE_BYTES = 32 * 1024;
/** Limit after decompression; a larger blob is damaged or hostile. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Largest output buffer that is allocated by the size that a frame states, bytes. */
const MAX_CHUNK = 1024 * 1024;
/** Node's smallest output buffer, bytes. */
const MIN_CHUNK = 64;

const decompressAsync = promisify(zstdDecompress);

/** Decompresses a body. @throws Error if it is no zstd frame or exceeds 256 MiB */
export async function unpackBlob(packed: Uint8Array): Promise<Buffer> {
  const options = optionsFor(packed);
  return packed.length <= INLINE_BYTES ? zstdDecompressSync(packed, options) : decompressAsync(packed, options);
}

/**
 * Sizes the output buffer by the length that the frame states. By default each result holds a buffer of 64 KB: for small bodies most
 * collections of V8 were caused by these buffers.
 */
function optionsFor(packed: Uint8Array): ZstdOptions {
  const size = contentSize(packed);
  // One byte more than the content: a buffer that is full is followed by another.
  const sized = size === undefined ? {} : { chunkSize: Math.min(MAX_CHUNK, Math.max(MIN_CHUNK, size + 1)) };
  return { maxOutputLength: MAX_BYTES, ...sized };
}

/** Returns the Frame_Content_Size of a zstd frame (RFC 8878, 3.1.1.1); undefined if it has none or one of 8 bytes. */
export function contentSize(packed: Uint8Array): number | undefined {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const DESCRIPTOR = 4;
  if (view.byteLength < 18) return undefined;
  const descriptor = view.getUint8(DESCRIPTOR);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const at = DESCRIPTOR + 1 + (isSingleSegment ? 0 : 1) + dictionaryBytes;
  const flag = descriptor >>> 6;
  if (flag === 0) return isSingleSegment ? view.getUint8(at) : undefined;
  if (flag === 1) return view.getUint16(at, true) + 256;
  return flag === 2 ? view.getUint32(at, true) : undefined;
}
