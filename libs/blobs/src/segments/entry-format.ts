import { readSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/**
 * Layout of a segment: a header of 16 bytes, then entries without gaps. An entry is a header of 64 bytes, `extraBytes` reserved bytes and the
 * packed body. All numbers are little endian.
 *
 * | offset | bytes | content |
 * | --- | --- | --- |
 * | 0 | 4 | magic `TMEN` |
 * | 4 | 1 | encoding of the body |
 * | 5 | 1 | 1 if the body was erased; not part of the checksum, because it is changed in place |
 * | 6 | 2 | `extraBytes` |
 * | 8 | 4 | length of the packed body |
 * | 12 | 4 | CRC-32 of the packed body |
 * | 16 | 32 | SHA-256 of the body before compression |
 * | 48 | 6 | time of the first append, ms since 1970 |
 * | 54 | 6 | zero |
 * | 60 | 4 | CRC-32 of the bytes 0 to 59, with the erased byte as zero |
 */
export const ENTRY_HEADER_BYTES = 64;

/** One frame of zstd. Encoding 2 is reserved: a frame whose dictionary is the body of another entry, with that entry's SHA-256 in the extra bytes. */
export const ENCODING_ZSTD = 1;

const ENTRY_MAGIC = Buffer.from('TMEN');
/** Offset of the erased byte in an entry. */
export const ERASED_AT = 5;

export const SEGMENT_HEADER: Buffer = Buffer.concat([Buffer.from('TIDESEG1'), Buffer.alloc(8)]);

export interface EntryHeader {
  readonly encoding: number;
  readonly isErased: boolean;
  /** Bytes of the whole entry. */
  readonly span: number;
  /** Offset of the packed body in the entry. */
  readonly bodyAt: number;
  readonly bodyCrc: number;
  /** Time of the first append, ms since 1970; compaction keeps it. */
  readonly appendedMs: number;
  readonly sha256: Buffer;
}

/** Returns the header of an entry with a zstd frame. @param sha256 32 bytes */
export function encodeHeader(sha256: Uint8Array, packed: Uint8Array, nowMs: number): Buffer {
  const header = Buffer.alloc(ENTRY_HEADER_BYTES);
  header.set(ENTRY_MAGIC, 0);
  header.writeUInt8(ENCODING_ZSTD, 4);
  header.writeUInt32LE(packed.length, 8);
  header.writeUInt32LE(crc32(packed), 12);
  header.set(sha256, 16);
  header.writeUIntLE(nowMs, 48, 6);
  header.writeUInt32LE(crc32(header.subarray(0, 60)), 60);
  return header;
}

/** Returns undefined if the bytes are not the header of an entry, or damaged. */
export function decodeHeader(bytes: Buffer): EntryHeader | undefined {
  if (bytes.length < ENTRY_HEADER_BYTES || !bytes.subarray(0, 4).equals(ENTRY_MAGIC)) return undefined;
  const checked = Buffer.from(bytes.subarray(0, 60));
  checked[ERASED_AT] = 0;
  if (crc32(checked) !== bytes.readUInt32LE(60)) return undefined;
  const bodyAt = ENTRY_HEADER_BYTES + bytes.readUInt16LE(6);
  return {
    encoding: bytes.readUInt8(4),
    isErased: bytes.readUInt8(ERASED_AT) === 1,
    span: bodyAt + bytes.readUInt32LE(8),
    bodyAt,
    bodyCrc: bytes.readUInt32LE(12),
    appendedMs: bytes.readUIntLE(48, 6),
    sha256: Buffer.from(bytes.subarray(16, 48)),
  };
}

/** An entry found in a segment. */
export interface FoundEntry {
  /** Offset of the entry in its segment. */
  readonly at: number;
  readonly header: EntryHeader;
}

const SEARCH_BYTES = 1024 * 1024;

/**
 * Yields the entries of a segment in order, reading their headers only. Bytes that are no entry, as a torn write leaves them, are skipped up
 * to the next valid header. An entry that exceeds `size` is not returned.
 */
export function* scanEntries(fd: number, size: number): Generator<FoundEntry> {
  const bytes = Buffer.alloc(ENTRY_HEADER_BYTES);
  for (let at = SEGMENT_HEADER.length; at + ENTRY_HEADER_BYTES <= size; ) {
    readSync(fd, bytes, 0, ENTRY_HEADER_BYTES, at);
    const header = decodeHeader(bytes);
    if (header === undefined || at + header.span > size) {
      const next = findMagic(fd, at + 1, size);
      if (next === undefined) return;
      at = next;
      continue;
    }
    yield { at, header };
    at += header.span;
  }
}

/** Returns the offset of the next magic of an entry. */
function findMagic(fd: number, from: number, size: number): number | undefined {
  const chunk = Buffer.alloc(SEARCH_BYTES);
  for (let at = from; at < size; at += SEARCH_BYTES - ENTRY_MAGIC.length + 1) {
    const length = readSync(fd, chunk, 0, Math.min(SEARCH_BYTES, size - at), at);
    if (length === 0) return undefined;
    const found = chunk.subarray(0, length).indexOf(ENTRY_MAGIC);
    if (found !== -1) return at + found;
  }
  return undefined;
}

/** Returns the packed body of a found entry; undefined if it does not match its checksum. */
export function readFoundBody(fd: number, { at, header }: FoundEntry): Buffer | undefined {
  const body = Buffer.allocUnsafe(header.span - header.bodyAt);
  const read = body.length === 0 ? 0 : readSync(fd, body, 0, body.length, at + header.bodyAt);
  return read === body.length && crc32(body) === header.bodyCrc ? body : undefined;
}
