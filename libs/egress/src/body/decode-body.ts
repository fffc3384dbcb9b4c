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
import { BodyTooLarge, codeOf, FetchFailed } from '../errors/errors.ts';

/** A content coding of RFC 9110 section 8.4.1 (gzip, deflate), RFC 7932 (br) or RFC 8878 (zstd). */
export type Coding = 'gzip' | 'deflate' | 'br' | 'zstd';

/** A decoded body; `truncated` if the compressed data stopped before its end marker. */
export interface DecodedBody {
  readonly body: Buffer;
  readonly truncated: boolean;
}

/** The expansion ratio is not limited below this many decoded bytes: small blank pages compress very well. */
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
 * Returns the codings of a Content-Encoding value in decoding order. With an unknown coding the body is left encoded, as in
 * browsers. Throws FetchFailed 'protocol' for more than three layers, which only decompression bombs use.
 */
export function codingsToDecode(contentEncoding: string | undefined): readonly Coding[] {
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

/** Returns the limit of decoded bytes for the number of bytes received. */
export function decodedLimit(bytesOnWire: number, maxBodyBytes: number): number {
  return Math.min(maxBodyBytes, Math.max(RATIO_FREE_BYTES, bytesOnWire * MAX_RATIO));
}

/**
 * Decodes a complete body synchronously. Throws BodyTooLarge if any layer exceeds `maxBytes`, and FetchFailed 'protocol' for
 * data that is not in the coding.
 */
export function decodeSync(wire: Buffer, codings: readonly Coding[], maxBytes: number): DecodedBody {
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
    if (!isTruncation(error)) throw toBodyError(error);
  }
  try {
    return { body: runDecoder(data, coding, maxBytes, true), truncated: true };
  } catch (error) {
    // This decoder cannot flush partial output.
    if (isTruncation(error)) return { body: Buffer.alloc(0), truncated: true };
    throw toBodyError(error);
  }
}

/** With `isPartial` the decoder flushes its output at the end of the data and does not require the end marker. */
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

/** Creates a streaming decoder. `first` is the start of the data, which distinguishes raw from zlib-wrapped deflate. */
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

/** Whether a decoder failed because its data ended early. */
export function isTruncation(error: unknown): boolean {
  return codeOf(error) === 'Z_BUF_ERROR';
}

/** Decodes a gzip body that has trailing bytes or a wrong checksum, which node rejects and browsers accept. */
function inflateFirstMember(data: Buffer, maxBytes: number): DecodedBody {
  const limits = { maxOutputLength: Math.max(1, maxBytes), chunkSize: DECODER_CHUNK_BYTES };
  try {
    return { body: inflateRawSync(data.subarray(gzipHeaderBytes(data)), limits), truncated: false };
  } catch (error) {
    throw toBodyError(error);
  }
}

/** RFC 1952 section 2.3: ten fixed bytes, then optional extra field, name, comment and checksum by flags. */
function gzipHeaderBytes(data: Buffer): number {
  const [magic1, magic2, method, flags = 0] = data;
  if (magic1 !== 0x1f || magic2 !== 0x8b || method !== 8 || data.length < 18) throw new Error('no gzip header');
  let offset = 10;
  if ((flags & 4) !== 0) offset += 2 + data.readUInt16LE(offset);
  for (const flag of [8, 16]) if ((flags & flag) !== 0) offset = data.indexOf(0, offset) + 1;
  return (flags & 2) !== 0 ? offset + 2 : offset;
}

/** Converts an error of a decoder to BodyTooLarge or FetchFailed 'protocol'. */
export function toBodyError(error: unknown): FetchFailed {
  if (error instanceof FetchFailed) return error;
  if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') return new BodyTooLarge();
  return new FetchFailed('protocol', { detail: 'the body is not in the encoding that its header names', cause: error });
}

/** RFC 1950 section 2.2: method 8, header bytes a multiple of 31. Servers send both forms as "deflate". */
function isZlibWrapped(data: Buffer): boolean {
  const [first = 0, second = 0] = data;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}
