/** Compression methods (APPNOTE 6.3.10, 4.4.5). */
export const METHODS = { stored: 0, deflated: 8 } as const;

/** An entry whose content was written. */
export interface WrittenEntry {
  readonly name: Buffer;
  readonly method: number;
  /** True: sizes and checksum follow the content. */
  readonly hasDescriptor: boolean;
  readonly crc: number;
  readonly bytes: number;
  readonly compressedBytes: number;
  /** Position of its local header in the file. */
  readonly offset: number;
}

type Header = Pick<WrittenEntry, 'name' | 'method' | 'hasDescriptor' | 'crc' | 'bytes' | 'compressedBytes'>;

const UTF8 = 0x08_00;
const DESCRIPTOR = 0x00_08;
/** 1980-01-01 00:00, the time of every entry: an archive of the same rows has the same bytes. */
const DATE = 0x00_21;
/** Version of the format: 2.0 for deflated content, 4.5 for ZIP64. */
const VERSION = { plain: 20, zip64: 45 };
/** Attributes of Unix: a regular file with the mode 0644. */
const ATTRIBUTES = 0o100_644 * 0x1_00_00;
const MADE_BY_UNIX = 3 << 8;
const MAX_32 = 0xff_ff_ff_ff;
const MAX_16 = 0xff_ff;

const flagsOf = ({ hasDescriptor }: Header): number => UTF8 | (hasDescriptor ? DESCRIPTOR : 0);

/** Returns the header before the content of an entry (4.3.7). With a descriptor its sizes and checksum are 0. */
export function localHeader(entry: Header): Buffer {
  const { name, method, hasDescriptor, crc, bytes, compressedBytes } = entry;
  const header = Buffer.alloc(30 + name.length);
  header.writeUInt32LE(0x04_03_4b_50, 0);
  header.writeUInt16LE(VERSION.plain, 4);
  header.writeUInt16LE(flagsOf(entry), 6);
  header.writeUInt16LE(method, 8);
  header.writeUInt16LE(DATE, 12);
  if (!hasDescriptor) {
    header.writeUInt32LE(crc, 14);
    header.writeUInt32LE(compressedBytes, 18);
    header.writeUInt32LE(bytes, 22);
  }
  header.writeUInt16LE(name.length, 26);
  name.copy(header, 30);
  return header;
}

/** Returns the descriptor behind the content of an entry (4.3.9), with sizes of 8 bytes where one exceeds 4 GiB. */
export function descriptor({ crc, bytes, compressedBytes }: WrittenEntry): Buffer {
  const isLarge = bytes >= MAX_32 || compressedBytes >= MAX_32;
  const record = Buffer.alloc(isLarge ? 24 : 16);
  record.writeUInt32LE(0x08_07_4b_50, 0);
  record.writeUInt32LE(crc, 4);
  if (isLarge) {
    record.writeBigUInt64LE(BigInt(compressedBytes), 8);
    record.writeBigUInt64LE(BigInt(bytes), 16);
  } else {
    record.writeUInt32LE(compressedBytes, 8);
    record.writeUInt32LE(bytes, 12);
  }
  return record;
}

/** Returns the record of an entry in the central directory (4.3.12), with a ZIP64 field for the values that exceed 4 bytes (4.5.3). */
export function centralRecord(entry: WrittenEntry): Buffer {
  const { name, method, crc, bytes, compressedBytes, offset } = entry;
  const large = [bytes, compressedBytes, offset].filter((value) => value >= MAX_32);
  const extra = large.length === 0 ? 0 : 4 + 8 * large.length;
  const record = Buffer.alloc(46 + name.length + extra);
  record.writeUInt32LE(0x02_01_4b_50, 0);
  record.writeUInt16LE(MADE_BY_UNIX | VERSION.zip64, 4);
  record.writeUInt16LE(large.length === 0 ? VERSION.plain : VERSION.zip64, 6);
  record.writeUInt16LE(flagsOf(entry), 8);
  record.writeUInt16LE(method, 10);
  record.writeUInt16LE(DATE, 14);
  record.writeUInt32LE(crc, 16);
  record.writeUInt32LE(Math.min(compressedBytes, MAX_32), 20);
  record.writeUInt32LE(Math.min(bytes, MAX_32), 24);
  record.writeUInt16LE(name.length, 28);
  record.writeUInt16LE(extra, 30);
  record.writeUInt32LE(ATTRIBUTES, 38);
  record.writeUInt32LE(Math.min(offset, MAX_32), 42);
  name.copy(record, 46);
  if (extra > 0) {
    const at = 46 + name.length;
    record.writeUInt16LE(1, at);
    record.writeUInt16LE(8 * large.length, at + 2);
    for (const [index, value] of large.entries()) record.writeBigUInt64LE(BigInt(value), at + 4 + 8 * index);
  }
  return record;
}

/** The central directory of an archive. */
export interface Directory {
  readonly entries: number;
  readonly bytes: number;
  readonly offset: number;
}

/** Returns the end of an archive (4.3.14 to 4.3.16), with the records of ZIP64 where a value exceeds its field. */
export function endOfArchive({ entries, bytes, offset }: Directory): Buffer {
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06_05_4b_50, 0);
  end.writeUInt16LE(Math.min(entries, MAX_16), 8);
  end.writeUInt16LE(Math.min(entries, MAX_16), 10);
  end.writeUInt32LE(Math.min(bytes, MAX_32), 12);
  end.writeUInt32LE(Math.min(offset, MAX_32), 16);
  if (entries < MAX_16 && bytes < MAX_32 && offset < MAX_32) return end;
  const large = Buffer.alloc(56 + 20);
  large.writeUInt32LE(0x06_06_4b_50, 0);
  large.writeBigUInt64LE(44n, 4);
  large.writeUInt16LE(MADE_BY_UNIX | VERSION.zip64, 12);
  large.writeUInt16LE(VERSION.zip64, 14);
  large.writeBigUInt64LE(BigInt(entries), 24);
  large.writeBigUInt64LE(BigInt(entries), 32);
  large.writeBigUInt64LE(BigInt(bytes), 40);
  large.writeBigUInt64LE(BigInt(offset), 48);
  large.writeUInt32LE(0x07_06_4b_50, 56);
  large.writeBigUInt64LE(BigInt(offset + bytes), 64);
  large.writeUInt32LE(1, 72);
  return Buffer.concat([large, end]);
}
