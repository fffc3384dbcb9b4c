import { mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '@tidemark/errors';
import type { BlobDriver } from './blob-driver.ts';
import { blobFile, isBlobFolder, nameOfBlobFile, partialOf } from './blob-file.ts';

const isMissing = (error: unknown): boolean => codeOf(error) === 'ENOENT';

function emptyIfMissing(error: unknown): string[] {
  if (isMissing(error)) return [];
  throw error;
}

/** Stores blobs as files. A file is written under a temporary name and renamed, so it is never visible incomplete. */
export class FolderDriver implements BlobDriver {
  readonly #root: string;
  readonly #folders = new Map<string, Promise<unknown>>();

  constructor(root: string) {
    this.#root = root;
  }

  async write(name: string, bytes: Uint8Array): Promise<void> {
    const file = blobFile(this.#root, name);
    try {
      await stat(file);
      return;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    await this.#prepare(dirname(file));
    const partial = partialOf(file);
    const handle = await open(partial, 'wx');
    try {
      await handle.write(bytes);
      // The blob must be durable before the row that references it is committed.
      await handle.datasync();
    } catch (error) {
      await unlink(partial).catch(() => undefined);
      throw error;
    } finally {
      await handle.close();
    }
    await rename(partial, file);
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(blobFile(this.#root, name));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async *names(): AsyncIterable<string> {
    for (const folder of (await readdir(this.#root).catch(emptyIfMissing)).filter(isBlobFolder)) {
      for (const file of await readdir(join(this.#root, folder)).catch(emptyIfMissing)) {
        const name = nameOfBlobFile(file);
        if (name !== undefined) yield name;
      }
    }
  }

  async #prepare(folder: string): Promise<void> {
    let made = this.#folders.get(folder);
    if (made === undefined) {
      made = mkdir(folder, { recursive: true });
      this.#folders.set(folder, made);
    }
    await made.catch((error: unknown) => {
      this.#folders.delete(folder);
      throw error;
    });
  }

  async ping(): Promise<void> {
    await mkdir(this.#root, { recursive: true });
  }

  async close(): Promise<void> {}
}
