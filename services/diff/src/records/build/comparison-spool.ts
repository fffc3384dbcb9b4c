import { type FileHandle, open, rm } from 'node:fs/promises';
import { deserialize, serialize } from 'node:v8';
import type { ComparedPage } from '../../domain/compared-page.ts';
import type { Spool } from './ports.ts';

/** Bytes held in memory before a file is created. */
const MAX_MEMORY_BYTES = 8 * 1_024 * 1_024;
const LENGTH_BYTES = 4;

/** A spool in memory that continues in its own file above a size limit. */
export class FileSpool implements Spool, AsyncDisposable {
  readonly #path: string;
  readonly #maxMemoryBytes: number;
  #pages: Buffer[] = [];
  #bytes = 0;
  #file: FileHandle | undefined;

  /** @param path of the file, created on demand; must not exist */
  constructor(path: string, maxMemoryBytes = MAX_MEMORY_BYTES) {
    this.#path = path;
    this.#maxMemoryBytes = maxMemoryBytes;
  }

  readonly put = async (page: ComparedPage): Promise<void> => {
    const body = serialize(page);
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(body.length);
    this.#pages.push(length, body);
    this.#bytes += body.length;
    if (this.#bytes >= this.#maxMemoryBytes) await this.#spill();
  };

  readonly all = (): AsyncGenerator<ComparedPage> => this.#read();

  async *#read(): AsyncGenerator<ComparedPage> {
    if (this.#file === undefined) {
      for (let at = 1; at < this.#pages.length; at += 2) yield deserialize(this.#pages[at] ?? Buffer.alloc(0));
      return;
    }
    await this.#spill();
    const length = Buffer.alloc(LENGTH_BYTES);
    for (let at = 0; (await this.#file.read(length, 0, LENGTH_BYTES, at)).bytesRead > 0; ) {
      const body = Buffer.alloc(length.readUInt32BE());
      await this.#file.read(body, 0, body.length, at + LENGTH_BYTES);
      yield deserialize(body);
      at += LENGTH_BYTES + body.length;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file?.close();
    if (this.#file !== undefined) await rm(this.#path, { force: true });
  }

  async #spill(): Promise<void> {
    this.#file ??= await open(this.#path, 'wx+', 0o600);
    if (this.#pages.length > 0) await this.#file.appendFile(Buffer.concat(this.#pages));
    [this.#pages, this.#bytes] = [[], 0];
  }
}
