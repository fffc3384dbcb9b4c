import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import type { BlobStore, PackedBlob } from '@tidemark/blobs';
import { codeOf } from '@tidemark/errors';
import type { BodyPack } from './manifest.ts';

// A pack is a sequence of entries: SHA-256 (32 bytes), length of the stored body (4 bytes, big-endian), length before compression
// (4 bytes), the stored body (a zstd frame).
const SHA_BYTES = 32;
const HEAD_BYTES = SHA_BYTES + 8;

/** Size after which another pack is begun, bytes. */
const PACK_BYTES = 256 * 1024 * 1024;
/** Bodies that are read at a time. */
const READS = 16;

export interface CopyBodies {
  readonly store: string;
  readonly blobs: Pick<BlobStore, 'list' | 'getPacked'>;
  /** Folder of the backup. */
  readonly dir: string;
}

/**
 * Copies every body of a store into packs. The hash of each is verified. A body that is deleted between the list and the copy is left out:
 * the rows that named it are older than the copy's list and newer than its deletion.
 * @throws AppError internal if a body is damaged, unavailable if the store is
 */
export async function copyBodies({ store, blobs, dir }: CopyBodies): Promise<BodyPack[]> {
  await mkdir(join(dir, 'bodies'), { recursive: true });
  const writer = new PackWriter(dir, store);
  const seen = new Set<string>();
  let batch: string[] = [];
  const flush = async (): Promise<void> => {
    const bodies = await Promise.all(batch.map((sha256) => readOrMissing(blobs, sha256)));
    batch = [];
    for (const body of bodies) if (body !== undefined) await writer.add(body);
  };
  try {
    for await (const sha256 of blobs.list()) {
      if (seen.has(sha256)) continue; // it moved to the trash meanwhile
      seen.add(sha256);
      if (batch.push(sha256) === READS) await flush();
    }
    await flush();
    return await writer.end();
  } finally {
    await writer.close();
  }
}

async function readOrMissing(blobs: Pick<BlobStore, 'getPacked'>, sha256: string): Promise<PackedBlob | undefined> {
  try {
    return await blobs.getPacked(sha256);
  } catch (error) {
    if (codeOf(error) === 'not_found') return undefined;
    throw error;
  }
}

class PackWriter {
  readonly #dir: string;
  readonly #store: string;
  readonly #packs: BodyPack[] = [];
  #file: FileHandle | undefined;
  #sum = createHash('sha256');
  #bodies = 0;
  #bytes = 0;

  constructor(dir: string, store: string) {
    this.#dir = dir;
    this.#store = store;
  }

  async add({ sha256, bytes, packed }: PackedBlob): Promise<void> {
    this.#file ??= await open(join(this.#dir, this.#name()), 'wx', 0o600);
    const head = Buffer.alloc(HEAD_BYTES);
    head.write(sha256, 'hex');
    head.writeUInt32BE(packed.length, SHA_BYTES);
    head.writeUInt32BE(bytes, SHA_BYTES + 4);
    const entry = Buffer.concat([head, packed]);
    await this.#file.appendFile(entry);
    this.#sum.update(entry);
    this.#bodies += 1;
    this.#bytes += entry.length;
    if (this.#bytes >= PACK_BYTES) await this.#finish();
  }

  /** Returns the packs, all of them durable. */
  async end(): Promise<BodyPack[]> {
    await this.#finish();
    return this.#packs;
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  #name(): string {
    return `bodies/${this.#store}-${String(this.#packs.length + 1).padStart(6, '0')}.pack`;
  }

  async #finish(): Promise<void> {
    if (this.#file === undefined) return;
    await this.#file.datasync();
    await this.#file.close();
    this.#file = undefined;
    this.#packs.push({ file: this.#name(), bodies: this.#bodies, bytes: this.#bytes, sha256: this.#sum.digest('hex') });
    [this.#sum, this.#bodies, this.#bytes] = [createHash('sha256'), 0, 0];
  }
}

/** Reads the bodies of a pack in their order, as they are stored. @throws Error if the pack is cut off or differs from its checksum */
export async function* readPack(dir: string, { file, sha256 }: BodyPack): AsyncIterable<PackedBlob> {
  const sum = createHash('sha256');
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(join(dir, file), { highWaterMark: 1024 * 1024 })) {
    sum.update(chunk);
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      if (rest.length < HEAD_BYTES) break;
      const end = HEAD_BYTES + rest.readUInt32BE(SHA_BYTES);
      if (rest.length < end) break;
      const packed = rest.subarray(HEAD_BYTES, end);
      yield { sha256: rest.toString('hex', 0, SHA_BYTES), bytes: rest.readUInt32BE(SHA_BYTES + 4), packed };
      rest = rest.subarray(end);
    }
  }
  if (rest.length > 0) throw new Error(`${file} is cut off`);
  if (sum.digest('hex') !== sha256) throw new Error(`${file} differs from its checksum`);
}

/** Returns whether a stored body has the hash of its name. */
export function isWhole({ sha256, bytes, packed }: PackedBlob): boolean {
  try {
    return hash('sha256', zstdDecompressSync(packed, { maxOutputLength: Math.max(bytes, 1) })) === sha256;
  } catch {
    return false;
  }
}
