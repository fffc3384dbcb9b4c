import { closeSync, fdatasyncSync, ftruncateSync, writev, writevSync } from 'node:fs';
import { promisify } from 'node:util';
import type { PackedBlob } from '../pack-blob.ts';
import { encodeHeader, SEGMENT_HEADER } from './entry-format.ts';
import { createSegment } from './segment-folder.ts';
import type { IndexedEntry } from './segment-index.ts';

/** Size at which a segment is ended, bytes. Compaction rewrites at most this much for one entry. */
const SEGMENT_BYTES = 64 * 1024 * 1024;
/** A writer does not continue a segment after this pause, ms: maintenance seals a segment after a longer one. */
const MAX_PAUSE_MS = 20 * 60_000;

/** What `writev` accepts at once (IOV_MAX). */
const MAX_BUFFERS = 1_024;

const writevAsync = promisify(writev);

export interface SegmentWriterOptions {
  readonly folder: string;
  readonly now: () => number;
  /** Size at which a segment is ended, bytes; default 64 MB. */
  readonly segmentBytes?: number;
}

interface OpenSegment {
  readonly name: string;
  readonly fd: number;
  end: number;
  usedMs: number;
}

/** An entry as it is written: its header and body, in one or more parts. */
export interface RawEntry {
  /** 32 bytes. */
  readonly sha256: Buffer;
  readonly parts: readonly Uint8Array[];
}

/** Returns the entry of a packed body. */
export function entryOf({ sha256: hex, packed }: PackedBlob, nowMs: number): RawEntry {
  const sha256 = Buffer.from(hex, 'hex');
  return { sha256, parts: [encodeHeader(sha256, packed, nowMs), packed] };
}

interface Appending {
  readonly segment: OpenSegment;
  readonly at: number;
  readonly buffers: Uint8Array[];
  readonly entries: IndexedEntry[];
}

/** Appends entries to segments that no other writer uses. Nothing is durable before it is synced. */
export class SegmentWriter {
  readonly #options: SegmentWriterOptions;
  readonly #segmentBytes: number;
  #segment: OpenSegment | undefined;

  constructor(options: SegmentWriterOptions) {
    this.#options = options;
    this.#segmentBytes = options.segmentBytes ?? SEGMENT_BYTES;
  }

  /** Appends on the calling thread. The entries are in one segment. */
  appendSync(raw: readonly RawEntry[]): IndexedEntry[] {
    const { segment, at, buffers, entries } = this.#prepare(raw);
    try {
      let position = at;
      for (let rest = buffers; rest.length > 0; ) {
        const written = writevSync(segment.fd, rest.slice(0, MAX_BUFFERS), position);
        position += written;
        rest = after(rest, written);
      }
    } catch (error) {
      this.#undo(segment, at);
      throw error;
    }
    return entries;
  }

  /** Appends on the thread pool. One call at a time. */
  async append(raw: readonly RawEntry[]): Promise<IndexedEntry[]> {
    const { segment, at, buffers, entries } = this.#prepare(raw);
    try {
      let position = at;
      for (let rest = buffers; rest.length > 0; ) {
        const { bytesWritten } = await writevAsync(segment.fd, rest.slice(0, MAX_BUFFERS), position);
        position += bytesWritten;
        rest = after(rest, bytesWritten);
      }
    } catch (error) {
      this.#undo(segment, at);
      throw error;
    }
    return entries;
  }

  /** Returns the space of a failed append, which a full disk needs, and continues with a new segment. Nothing follows `at`: the segment has one writer. */
  #undo(segment: OpenSegment, at: number): void {
    try {
      ftruncateSync(segment.fd, at);
    } finally {
      this.abandon();
    }
  }

  #prepare(raw: readonly RawEntry[]): Appending {
    const segment = this.#current();
    const at = segment.end;
    const buffers: Uint8Array[] = [];
    const entries: IndexedEntry[] = [];
    for (const { sha256, parts } of raw) {
      const span = parts.reduce((sum, { length }) => sum + length, 0);
      entries.push({ sha256, segment: segment.name, at: segment.end, span });
      buffers.push(...parts.filter(({ length }) => length > 0));
      segment.end += span;
    }
    segment.usedMs = this.#options.now();
    return { segment, at, buffers, entries };
  }

  #current(): OpenSegment {
    const nowMs = this.#options.now();
    const open = this.#segment;
    if (open !== undefined && open.end < this.#segmentBytes && nowMs - open.usedMs < MAX_PAUSE_MS) return open;
    this.abandon();
    const { name, fd } = createSegment(this.#options.folder, nowMs);
    this.#segment = { name, fd, end: SEGMENT_HEADER.length, usedMs: nowMs };
    return this.#segment;
  }

  /** Makes everything appended to the current segment durable, on the calling thread. */
  syncSync(): void {
    if (this.#segment === undefined) return;
    try {
      fdatasyncSync(this.#segment.fd);
    } catch (error) {
      // After a failed sync the kernel may drop the written pages, so that a repeated sync would succeed without them.
      this.abandon();
      throw error;
    }
  }

  /** Continues with a new segment. */
  abandon(): void {
    if (this.#segment === undefined) return;
    closeSync(this.#segment.fd);
    this.#segment = undefined;
  }
}

/** Returns the buffers without their first `written` bytes. */
function after(buffers: Uint8Array[], written: number): Uint8Array[] {
  let left = written;
  let first = 0;
  for (; first < buffers.length; first += 1) {
    const length = buffers[first]?.length ?? 0;
    if (left < length) break;
    left -= length;
  }
  const rest = buffers.slice(first);
  const head = rest[0];
  if (head !== undefined && left > 0) rest[0] = head.subarray(left);
  return rest;
}
