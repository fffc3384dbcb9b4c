import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { crc32, createDeflateRaw, deflateRaw, deflateRawSync } from 'node:zlib';
import { centralRecord, descriptor, endOfArchive, localHeader, METHODS, type WrittenEntry } from './zip-records.ts';

export interface ZipEntry {
  readonly name: string;
  /** A text, or its parts. */
  readonly content: string | AsyncIterable<string | Uint8Array>;
}

/** Contents up to this size are compressed on the calling thread, which is faster than a hand-over to the thread pool. */
const INLINE_BYTES = 128 * 1024;
/** Small entries are collected up to this size, bytes. */
const CHUNK = 64 * 1024;
/** Smallest output buffer of Node, bytes. */
const MIN_BUFFER = 64;

const deflateAsync = promisify(deflateRaw);

/**
 * Writes entries as a ZIP archive (PKWARE APPNOTE 6.3.10), uncompressed at level 0, with ZIP64 where it has more than 65,534 entries or
 * 4 GiB. Holds one text or one part of an entry at a time, and some 100 bytes of every entry for the directory.
 *
 * Not yazl (3.3.1): it keeps every compressed entry until the end of the archive, writes without backpressure, and searches its list of
 * entries for each one. 20,000 pages take it 11 times the CPU and four times the memory, which grows with the archive.
 */
export async function* zipEntries(entries: AsyncIterable<ZipEntry>, level = 6): AsyncGenerator<Uint8Array> {
  const archive = new Archive();
  for await (const { name, content } of entries) {
    if (typeof content === 'string') await archive.add(Buffer.from(name), Buffer.from(content), level);
    else {
      const method = level === 0 ? METHODS.stored : METHODS.deflated;
      yield* archive.stream(Buffer.from(name), content, { method, level });
    }
    if (archive.waitingBytes >= CHUNK) yield archive.take();
  }
  archive.end();
  yield archive.take();
}

class Archive {
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #offset = 0;
  #entries = 0;
  #directory: Buffer[] = [];
  #newRecords: Buffer[] = [];
  #newBytes = 0;

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Returns the bytes that were written since the last call. */
  take(): Buffer {
    const bytes = Buffer.concat(this.#waiting, this.#waitingBytes);
    this.#waiting = [];
    this.#waitingBytes = 0;
    return bytes;
  }

  async add(name: Buffer, content: Buffer, level: number): Promise<void> {
    const packed = level === 0 || content.length === 0 ? content : await deflated(content, level);
    const method = packed === content ? METHODS.stored : METHODS.deflated;
    const sizes = { crc: crc32(content), bytes: content.length, compressedBytes: packed.length };
    const entry: WrittenEntry = { name, method, hasDescriptor: false, ...sizes, offset: this.#offset };
    this.#write(localHeader(entry));
    this.#write(packed);
    this.#note(entry);
  }

  /** Writes an entry whose size is not known before its end. */
  async *stream(
    name: Buffer,
    content: AsyncIterable<string | Uint8Array>,
    { method, level }: { readonly method: number; readonly level: number },
  ): AsyncGenerator<Uint8Array> {
    const sizes = { crc: 0, bytes: 0, compressedBytes: 0 };
    const offset = this.#offset;
    this.#write(localHeader({ name, method, hasDescriptor: true, ...sizes }));
    async function* read(): AsyncGenerator<Uint8Array> {
      for await (const part of content) {
        const bytes = typeof part === 'string' ? Buffer.from(part) : part;
        if (bytes.length === 0) continue;
        sizes.crc = crc32(bytes, sizes.crc);
        sizes.bytes += bytes.length;
        yield bytes;
      }
    }
    const source = read();
    const packed =
      method === METHODS.stored
        ? source
        : Readable.from(source, { objectMode: false }).compose(createDeflateRaw({ level }));
    for await (const chunk of packed) {
      sizes.compressedBytes += chunk.length;
      this.#write(chunk);
      yield this.take();
    }
    const entry: WrittenEntry = { name, method, hasDescriptor: true, ...sizes, offset };
    this.#write(descriptor(entry));
    this.#note(entry);
  }

  /** Writes the directory. */
  end(): void {
    const offset = this.#offset;
    for (const records of [...this.#directory, ...this.#newRecords]) this.#write(records);
    this.#write(endOfArchive({ entries: this.#entries, bytes: this.#offset - offset, offset }));
  }

  #write(bytes: Buffer): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#offset += bytes.length;
  }

  /** Keeps the record of an entry. Records are joined: a buffer for each of 100,000 entries takes several times their bytes. */
  #note(entry: WrittenEntry): void {
    const record = centralRecord(entry);
    this.#newRecords.push(record);
    this.#newBytes += record.length;
    this.#entries += 1;
    if (this.#newBytes < CHUNK) return;
    this.#directory.push(Buffer.concat(this.#newRecords, this.#newBytes));
    this.#newRecords = [];
    this.#newBytes = 0;
  }
}

async function deflated(content: Buffer, level: number): Promise<Buffer> {
  // By default each result holds a buffer of 64 KB.
  const chunkSize = Math.min(CHUNK, Math.max(MIN_BUFFER, content.length));
  if (content.length <= INLINE_BYTES) return deflateRawSync(content, { level, chunkSize });
  return deflateAsync(content, { level, chunkSize });
}
