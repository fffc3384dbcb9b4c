import type { Transform } from 'node:stream';
import {
  brotliDecompressSync,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib';
import { BodyTooLarge, codeOf, FetchFailed } from './errors.ts';

/** A content coding of RFC 9110 section 8.4.1 (gzip, deflate), RFC 7932 (br) or RFC 8878 (zstd). */
export type Coding = 'gzip' | 'deflate' | 'br' | 'zstd';

/** A body with every coding undone; `truncated` when the compressed data stopped before its own end mark. */
export interface DecodedBody {
  readonly body: Buffer;
  readonly truncated: boolean;
}

/** Growth is not judged below this many decoded bytes: a blank page compresses well and harms nobody. */
export const RATIO_FREE_BYTES = 1024 * 1024;
const MAX_RATIO = 100;
const MAX_LAYERS = 3;
const DECODER_CHUNK_BYTES = 64 * 1024;

const CODINGS: Readonly<Record<string, Coding>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
  zstd: 'zstd',
};

/**
 * The codings of a Content-Encoding value in the order they must be undone. A coding nobody knows leaves the body as it
 * is, as browsers do. Throws FetchFailed 'protocol' past three layers, which only a bomb needs.
 */
export function codingsToUndo(contentEncoding: string | undefined): readonly Coding[] {
  if (contentEncoding === undefined) return [];
  const names = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity' && name !== 'none');
  if (names.length > MAX_LAYERS) throw new FetchFailed('protocol', { detail: 'too many layers of content encoding' });
  const codings = names.map((name) => (Object.hasOwn(CODINGS, name) ? CODINGS[name] : undefined));
  const known = codings.filter((coding) => coding !== undefined);
  return known.length === codings.length ? known.reverse() : [];
}

/** The most bytes a body may decode to after so many bytes on the wire. */
export function decodedLimit(bytesOnWire: number, maxBodyBytes: number): number {
  return Math.min(maxBodyBytes, Math.max(RATIO_FREE_BYTES, bytesOnWire * MAX_RATIO));
}

/**
 * Undoes the codings of a whole body at once, on this thread. Throws BodyTooLarge past `maxBytes` in any layer and
 * FetchFailed 'protocol' for data that is not in the coding.
 */
export function decodeAtOnce(wire: Buffer, codings: readonly Coding[], maxBytes: number): DecodedBody {
  let body = wire;
  let truncated = false;
  for (const coding of codings) {
    const layer = decodeLayer(body, coding, maxBytes);
    body = layer.body;
    truncated ||= layer.truncated;
  }
  return { body, truncated };
}

function decodeLayer(data: Buffer, coding: Coding, maxBytes: number): DecodedBody {
  if (data.length === 0) return { body: data, truncated: false };
  try {
    return { body: runDecoder(data, coding, maxBytes, false), truncated: false };
  } catch (error) {
    if (coding === 'gzip' && codeOf(error) === 'Z_DATA_ERROR') return inflateFirstMember(data, maxBytes);
    if (!isCutShort(error)) throw toBodyError(error);
  }
  try {
    return { body: runDecoder(data, coding, maxBytes, true), truncated: true };
  } catch (error) {
    // A decoder that cannot flush what it has leaves nothing to show.
    if (isCutShort(error)) return { body: Buffer.alloc(0), truncated: true };
    throw toBodyError(error);
  }
}

/** With `isPartial` the decoder flushes what it has at the end of the data instead of demanding the end mark. */
function runDecoder(data: Buffer, coding: Coding, maxBytes: number, isPartial: boolean): Buffer {
  const limits = { maxOutputLength: Math.max(1, maxBytes), chunkSize: DECODER_CHUNK_BYTES };
  const zlib = isPartial ? { ...limits, finishFlush: constants.Z_SYNC_FLUSH } : limits;
  switch (coding) {
    case 'gzip':
      return gunzipSync(data, zlib);
    case 'deflate':
      return isZlibWrapped(data) ? inflateSync(data, zlib) : inflateRawSync(data, zlib);
    case 'br':
      return brotliDecompressSync(
        data,
        isPartial ? { ...limits, finishFlush: constants.BROTLI_OPERATION_FLUSH } : limits,
      );
    case 'zstd':
      return zstdDecompressSync(data, isPartial ? { ...limits, finishFlush: constants.ZSTD_e_flush } : limits);
  }
}

/** A streaming decoder for one coding; `first` is the start of the data, which tells raw deflate from wrapped. */
export function openDecoder(coding: Coding, first: Buffer): Transform {
  const options = { chunkSize: DECODER_CHUNK_BYTES };
  switch (coding) {
    case 'gzip':
      return createGunzip(options);
    case 'deflate':
      return isZlibWrapped(first) ? createInflate(options) : createInflateRaw(options);
    case 'br':
      return createBrotliDecompress(options);
    case 'zstd':
      return createZstdDecompress(options);
  }
}

/** Whether a decoder failed only because its data stopped early. */
export function isCutShort(error: unknown): boolean {
  return codeOf(error) === 'Z_BUF_ERROR';
}

/** Node refuses a gzip body with bytes after its end or a wrong checksum; browsers show the page, and so do we. */
function inflateFirstMember(data: Buffer, maxBytes: number): DecodedBody {
  const limits = { maxOutputLength: Math.max(1, maxBytes), chunkSize: DECODER_CHUNK_BYTES };
  try {
    return { body: inflateRawSync(data.subarray(gzipHeaderBytes(data)), limits), truncated: false };
  } catch (error) {
    throw toBodyError(error);
  }
}

/** RFC 1952 section 2.3: ten fixed bytes, then an extra field, a name, a comment and a checksum as the flags say. */
function gzipHeaderBytes(data: Buffer): number {
  const [magic1, magic2, method, flags = 0] = data;
  if (magic1 !== 0x1f || magic2 !== 0x8b || method !== 8 || data.length < 18) throw new Error('no gzip header');
  let offset = 10;
  if ((flags & 4) !== 0) offset += 2 + data.readUInt16LE(offset);
  for (const flag of [8, 16]) if ((flags & flag) !== 0) offset = data.indexOf(0, offset) + 1;
  return (flags & 2) !== 0 ? offset + 2 : offset;
}

/** Maps what a decoder threw to BodyTooLarge or FetchFailed 'protocol'. */
export function toBodyError(error: unknown): FetchFailed {
  if (error instanceof FetchFailed) return error;
  if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') return new BodyTooLarge();
  return new FetchFailed('protocol', { detail: 'the body is not in the encoding its header names', cause: error });
}

/** RFC 1950 section 2.2: method 8, and the two header bytes a multiple of 31. Servers send both forms as "deflate". */
function isZlibWrapped(data: Buffer): boolean {
  const [first = 0, second = 0] = data;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}
