import { closeSync, constants, fdatasync, openSync, read } from 'node:fs';
import { promisify } from 'node:util';
import { LRUCache } from 'lru-cache';
import { segmentPath } from './segment-folder.ts';

/** Open segments of a reader. */
const MAX_OPEN = 64;
/** A segment that was not read for this time is closed, ms, so that the space of a removed one is returned. */
const IDLE_MS = 60_000;

const readAsync = promisify(read);
const syncAsync = promisify(fdatasync);

interface OpenFile {
  readonly fd: number;
  users: number;
  isEvicted: boolean;
}

/** Reads and syncs segments by name, with a bounded number of open files. */
export class OpenSegments {
  readonly #folder: string;
  readonly #files = new LRUCache<string, OpenFile>({
    max: MAX_OPEN,
    ttl: IDLE_MS,
    updateAgeOnGet: true,
    dispose: (file) => {
      file.isEvicted = true;
      if (file.users === 0) closeSync(file.fd);
    },
  });

  readonly #purge: NodeJS.Timeout;

  constructor(folder: string) {
    this.#folder = folder;
    this.#purge = setInterval(() => this.#files.purgeStale(), IDLE_MS).unref();
  }

  /** Reads a range; shorter if the segment ends before. @throws ENOENT if the segment does not exist */
  async read(segment: string, at: number, length: number): Promise<Buffer> {
    return this.#use(segment, async (fd) => {
      const buffer = Buffer.allocUnsafe(length);
      const { bytesRead } = await readAsync(fd, buffer, 0, length, at);
      return buffer.subarray(0, bytesRead);
    });
  }

  /** Makes all bytes of a segment durable, whichever descriptor wrote them. */
  sync(segment: string): Promise<void> {
    return this.#use(segment, (fd) => syncAsync(fd));
  }

  async #use<T>(segment: string, work: (fd: number) => Promise<T>): Promise<T> {
    const file = this.#files.get(segment) ?? this.#open(segment);
    file.users += 1;
    try {
      return await work(file.fd);
    } finally {
      file.users -= 1;
      if (file.isEvicted && file.users === 0) closeSync(file.fd);
    }
  }

  #open(segment: string): OpenFile {
    const file = { fd: openSync(segmentPath(this.#folder, segment), constants.O_RDONLY), users: 0, isEvicted: false };
    this.#files.set(segment, file);
    return file;
  }

  close(): void {
    clearInterval(this.#purge);
    this.#files.clear();
  }
}
