import { inflateRawSync } from 'node:zlib';
import { codeOf, messageOf } from '@tidemark/errors';
import { zipSync } from 'fflate';
import { BrokenDocument, type DocumentLimits, ProtectedDocument } from './model/document.ts';
import { MIN_BOUND } from './model/thresholds.ts';

/** Reads the parts of a zip by name. Nothing the zip declares is trusted without a check. */
export class Zip {
  readonly #bytes: Buffer;
  readonly #entries = new Map<string, ZipEntry>();
  readonly #limits: DocumentLimits;
  #unpacked = 0;

  /** @throws BrokenDocument if this is not a zip, or exceeds the limits */
  constructor(bytes: Uint8Array, limits: DocumentLimits) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#limits = limits;
    this.#readDirectory();
  }

  get names(): string[] {
    return [...this.#entries.keys()];
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** Returns a part's bytes; undefined if absent. */
  part(name: string): Buffer | undefined {
    const entry = this.#entries.get(name);
    return entry === undefined ? undefined : this.#unpack(entry);
  }

  /** Returns a part's text. Office parts are UTF-8. The standard forbids document types, so entities cannot expand. */
  xml(name: string): string | undefined {
    const part = this.part(name);
    if (part === undefined) return undefined;
    const isUtf16 = (part[0] === 0xff && part[1] === 0xfe) || (part[0] === 0xfe && part[1] === 0xff);
    const text = isUtf16 ? new TextDecoder(part[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(part) : part.toString();
    if (/<!(?:doctype|entity)/i.test(text)) throw new BrokenDocument(`${name} declares a document type`);
    return text;
  }

  #readDirectory(): void {
    const bytes = this.#bytes;
    const end = bytes.lastIndexOf(END_MARK);
    if (end === -1 || end + END_BYTES > bytes.length) throw new BrokenDocument('the zip has no directory');
    const count = bytes.readUInt16LE(end + 10);
    let at = bytes.readUInt32LE(end + 16);
    if (count > this.#limits.entries || count === 0xffff) {
      throw new BrokenDocument(`the zip has more than ${this.#limits.entries} entries`);
    }
    let declared = 0;
    for (let i = 0; i < count; i += 1) {
      if (at + ENTRY_BYTES > bytes.length || bytes.readUInt32LE(at) !== ENTRY_MARK) {
        throw new BrokenDocument('the zip’s directory is cut short');
      }
      const { entry, next } = this.#entryAt(at);
      declared += entry.size;
      if (declared > this.#limits.unpackedBytes) throw tooLarge(this.#limits);
      // The first of two equal names counts, as in all readers used here.
      if (!this.#entries.has(entry.name)) this.#entries.set(entry.name, entry);
      at = next;
    }
  }

  #entryAt(at: number): { entry: ZipEntry; next: number } {
    const bytes = this.#bytes;
    const nameEnd = at + ENTRY_BYTES + bytes.readUInt16LE(at + 28);
    const next = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    if ((bytes.readUInt16LE(at + 8) & ENCRYPTED) !== 0) throw new ProtectedDocument();
    return {
      entry: {
        name: bytes.toString('utf8', at + ENTRY_BYTES, nameEnd).replace(/^\/+/, ''),
        method: bytes.readUInt16LE(at + 10),
        packed: bytes.readUInt32LE(at + 20),
        size: bytes.readUInt32LE(at + 24),
        header: bytes.readUInt32LE(at + 42),
      },
      next,
    };
  }

  #unpack({ name, method, packed, header }: ZipEntry): Buffer {
    const bytes = this.#bytes;
    if (header + LOCAL_BYTES > bytes.length || bytes.readUInt32LE(header) !== LOCAL_MARK) {
      throw new BrokenDocument(`${name} is not at the position given in the zip’s directory`);
    }
    const start = header + LOCAL_BYTES + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
    if (start + packed > bytes.length) throw new BrokenDocument(`${name} is cut short`);
    const data = bytes.subarray(start, start + packed);
    const left = this.#limits.unpackedBytes - this.#unpacked;
    const bound = Math.max(MIN_BOUND, Math.min(left, packed * this.#limits.ratio));
    const unpacked = method === 0 ? data : method === 8 ? inflate(name, data, bound) : undefined;
    if (unpacked === undefined)
      throw new BrokenDocument(`${name} uses compression method ${method}, which is not supported`);
    this.#unpacked += unpacked.length;
    if (this.#unpacked > this.#limits.unpackedBytes) throw tooLarge(this.#limits);
    return unpacked;
  }
}

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly packed: number;
  readonly size: number;
  readonly header: number;
}

/** Signatures and sizes of APPNOTE.TXT 4.3: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT */
const END_MARK = Buffer.from('PK\u0005\u0006', 'latin1');
const END_BYTES = 22;
const ENTRY_MARK = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_MARK = 0x04034b50;
const LOCAL_BYTES = 30;
const ENCRYPTED = 1;

/** Unpacks with a limit, because the declared size may be false. */
function inflate(name: string, data: Buffer, bound: number): Buffer {
  try {
    return inflateRawSync(data, { maxOutputLength: bound });
  } catch (error) {
    if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE')
      throw new BrokenDocument(`${name} unpacks to more than ${bound} bytes`);
    throw new BrokenDocument(`${name} can’t be unpacked: ${messageOf(error)}`);
  }
}

const tooLarge = (limits: DocumentLimits): BrokenDocument =>
  new BrokenDocument(`the zip unpacks to more than ${limits.unpackedBytes} bytes`);

/** Returns a zip of the given parts only, for libraries that expect a file. */
export const zipOf = (parts: Readonly<Record<string, Uint8Array>>): Uint8Array => zipSync({ ...parts }, { level: 0 });
