import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '@tidemark/errors';
import type { AppendedBlob, BlobDriver } from '../blob-driver.ts';
import { FileDriver } from '../files/file-driver.ts';
import type { PackedBlob } from '../pack-blob.ts';
import { decodeHeader, ENCODING_ZSTD, type EntryHeader } from './entry-format.ts';
import { OpenSegments } from './open-segments.ts';
import { rangesOf } from './ranges.ts';
import { recoverIndex } from './recover-index.ts';
import { segmentFolder } from './segment-folder.ts';
import { type IndexedEntry, type Location, SegmentIndex, SegmentSealed } from './segment-index.ts';
import { entryOf, SegmentWriter } from './segment-writer.ts';
import { ignoreStep, type OnStep } from './steps.ts';

/** A batch of this size is committed without further waiting. */
const FULL_BATCH = 50;
/** Times a read looks again for an entry that was moved or erased since it was looked up. */
const READ_ATTEMPTS = 4;

/** Names that are read from the index at once. */
const LISTED = 1_000;
/** No body has this name. */
const NO_NAME = Buffer.alloc(32);

interface Waiting {
  readonly blob: PackedBlob | AppendedBlob;
  readonly settled: PromiseWithResolvers<void>;
}

export interface SegmentDriverOptions {
  readonly now?: () => number;
  readonly segmentBytes?: number;
  readonly onStep?: OnStep;
}

/**
 * Stores blobs as entries of append-only segments, with an index of them. Writes of the same moment share one sync and one transaction of the index.
 * Files of the earlier layout, a file per body, are read until maintenance has moved them.
 */
export class SegmentDriver implements BlobDriver {
  readonly #folder: string;
  readonly #files: FileDriver;
  readonly #segments: OpenSegments;
  readonly #writer: SegmentWriter;
  readonly #now: () => number;
  readonly #onStep: OnStep;
  readonly #indexOptions: { readonly isDurable: boolean; readonly onStep: OnStep };
  #index: SegmentIndex | undefined;
  #recovery: Promise<void> | undefined;
  #waiting: Waiting[] = [];
  #isFlushing = false;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(root: string, { now = Date.now, segmentBytes, onStep = ignoreStep }: SegmentDriverOptions = {}) {
    this.#folder = segmentFolder(root);
    this.#files = new FileDriver(root);
    this.#segments = new OpenSegments(this.#folder);
    this.#writer = new SegmentWriter({
      folder: this.#folder,
      now,
      ...(segmentBytes === undefined ? {} : { segmentBytes }),
    });
    this.#now = now;
    this.#onStep = onStep;
    this.#indexOptions = { isDurable: false, onStep };
  }

  #opened(): SegmentIndex {
    this.#index ??= new SegmentIndex(this.#folder, this.#indexOptions);
    return this.#index;
  }

  /** Continues with the present index if an operator has deleted the one that is open. */
  #reopenReplaced(): void {
    if (this.#index?.isReplaced() !== true) return;
    this.#index.close();
    this.#index = undefined;
    this.#recovery = undefined;
  }

  write(blob: PackedBlob, gatherMs = 0): Promise<void> {
    return this.#join(blob, gatherMs);
  }

  commit(blob: AppendedBlob, gatherMs = 0): Promise<void> {
    return this.#join(blob, gatherMs);
  }

  #join(blob: Waiting['blob'], gatherMs: number): Promise<void> {
    const settled = Promise.withResolvers<void>();
    this.#waiting.push({ blob, settled });
    if (gatherMs === 0 || this.#waiting.length >= FULL_BATCH) this.#flushSoon();
    else this.#timer ??= setTimeout(() => this.#flushSoon(), gatherMs);
    return settled.promise;
  }

  #flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    // Writes that begin in the same turn of the event loop are in the same batch.
    setImmediate(() => void this.#flushAll());
  }

  async #flushAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) {
        clearTimeout(this.#timer);
        this.#timer = undefined;
        const batch = this.#waiting;
        this.#waiting = [];
        await this.#flush(batch.map(({ blob }) => blob)).then(
          () => {
            for (const { settled } of batch) settled.resolve();
          },
          (error: unknown) => {
            for (const { settled } of batch) settled.reject(error);
          },
        );
      }
    } finally {
      this.#isFlushing = false;
    }
  }

  /** Appends, syncs each segment once, then adds all entries to the index. */
  async #flush(blobs: readonly (PackedBlob | AppendedBlob)[]): Promise<void> {
    this.#reopenReplaced();
    const index = this.#opened();
    const appended = blobs.flatMap((blob) => ('packed' in blob ? [] : [indexedEntry(blob)]));
    const packed = this.#missing(blobs.flatMap((blob) => ('packed' in blob ? [blob] : [])));
    for (let attempts = 1; ; attempts += 1) {
      const written =
        packed.length === 0 ? [] : await this.#writer.append(packed.map((blob) => entryOf(blob, this.#now())));
      if (packed.length > 0) this.#onStep('appended');
      const entries = [...appended, ...written];
      const segments = new Set(entries.map(({ segment }) => segment));
      try {
        await Promise.all([...segments].map((segment) => this.#segments.sync(segment)));
        this.#onStep('synced');
        index.add(entries);
        return;
      } catch (error) {
        this.#writer.abandon();
        if (!(error instanceof SegmentSealed) || attempts > 1) throw error;
      }
    }
  }

  /** Returns the blobs that are not stored, each once. Takes those in the trash out of it. */
  #missing(blobs: readonly PackedBlob[]): PackedBlob[] {
    const index = this.#opened();
    const missing = new Map<string, PackedBlob>();
    const trashed: Buffer[] = [];
    for (const blob of blobs) {
      const sha256 = Buffer.from(blob.sha256, 'hex');
      const found = index.find(sha256);
      if (found === undefined) missing.set(blob.sha256, blob);
      else if (found.isInTrash) trashed.push(sha256);
    }
    if (trashed.length > 0) index.setTrash(trashed, false);
    return [...missing.values()];
  }

  async read(sha256: string): Promise<Uint8Array | undefined> {
    const name = Buffer.from(sha256, 'hex');
    const indexed = await this.#readIndexed(name);
    if (indexed !== undefined) return indexed;
    const file = await this.#files.read(sha256);
    if (file !== undefined) return file;
    this.#reopenReplaced();
    // The index may lack commits that a power failure has undone, or the file has just been moved into a segment.
    this.#recovery ??= recoverIndex(this.#folder, this.#opened()).catch((error: unknown) => {
      this.#recovery = undefined;
      throw error;
    });
    await this.#recovery;
    return this.#readIndexed(name);
  }

  /** Reads entries that are close to each other in one operation. Entries that were moved or damaged are left out. */
  async readMany(sha256s: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const index = this.#opened();
    const located = [...new Set(sha256s)].flatMap((sha256) => {
      const location = index.find(Buffer.from(sha256, 'hex'));
      return location === undefined ? [] : [{ sha256, location }];
    });
    const bodies = new Map<string, Uint8Array>();
    await Promise.all(
      rangesOf(located, ({ location }) => location).map(async ({ segment, at, span, items }) => {
        const bytes = await this.#readRange(segment, at, span);
        if (bytes === undefined) return;
        for (const { sha256, location } of items) {
          const entry = entryAt(bytes.subarray(location.at - at, location.at - at + location.span), location.span);
          if (entry !== undefined && !entry.header.isErased && entry.header.sha256.toString('hex') === sha256)
            bodies.set(sha256, bodyOf(entry));
        }
      }),
    );
    return bodies;
  }

  async *names(): AsyncIterable<string> {
    // Files first: maintenance moves them into segments, and a body that it moves meanwhile is then listed twice, not left out.
    yield* this.#files.names();
    const index = this.#opened();
    for (let after = ''; ; ) {
      const names = index.names(Buffer.from(after, 'hex'), LISTED);
      for (const name of names) {
        after = name.toString('hex');
        yield after;
      }
      if (names.length < LISTED) return;
    }
  }

  async #readIndexed(sha256: Buffer): Promise<Uint8Array | undefined> {
    const index = this.#opened();
    for (let attempts = 1; ; attempts += 1) {
      const location = index.find(sha256);
      if (location === undefined) return undefined;
      const entry = await this.#readEntry(location);
      if (entry?.header.sha256.equals(sha256) === true && !entry.header.isErased) return bodyOf(entry);
      if (attempts === READ_ATTEMPTS) throw new DamagedEntry(location);
      // Compaction moves an entry before it removes the segment, so that a new lookup finds it.
      await sleep(attempts);
    }
  }

  async #readEntry({ segment, at, span }: Location): Promise<Entry | undefined> {
    const bytes = await this.#readRange(segment, at, span);
    return bytes && entryAt(bytes, span);
  }

  /** @returns undefined if the segment was removed */
  async #readRange(segment: string, at: number, length: number): Promise<Buffer | undefined> {
    try {
      return await this.#segments.read(segment, at, length);
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  async ping(): Promise<void> {
    this.#opened().find(NO_NAME);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    while (this.#waiting.length > 0 || this.#isFlushing) {
      this.#flushSoon();
      await sleep(1);
    }
    this.#writer.abandon();
    this.#segments.close();
    this.#index?.close();
  }
}

interface Entry {
  readonly header: EntryHeader;
  readonly bytes: Buffer;
}

/** Returns the entry of these bytes; undefined if they are not one of `span` bytes. */
function entryAt(bytes: Buffer, span: number): Entry | undefined {
  const header = decodeHeader(bytes);
  return header === undefined || header.span !== span || bytes.length < span ? undefined : { header, bytes };
}

/** An entry that the index refers to can not be read. */
export class DamagedEntry extends Error {
  constructor({ segment, at }: Location) {
    super(`the entry at ${at} of segment ${segment} is damaged or missing`);
    this.name = 'DamagedEntry';
  }
}

function bodyOf({ header, bytes }: Entry): Uint8Array {
  if (header.encoding !== ENCODING_ZSTD)
    throw new Error(`a stored body has encoding ${header.encoding}, which a newer version has written`);
  return bytes.subarray(header.bodyAt);
}

const indexedEntry = ({ sha256, segment, at, span }: AppendedBlob): IndexedEntry => ({
  sha256: Buffer.from(sha256, 'hex'),
  segment,
  at,
  span,
});
