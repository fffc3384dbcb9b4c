import { rename, stat, unlink } from 'node:fs/promises';
import { codeOf } from '@tidemark/errors';
import { type BlobTrash, filterNames } from '../blob-trash.ts';
import { blobFile } from './blob-file.ts';
import { trashName } from './trash-name.ts';

/** The trash of a folder with a file per blob: renamed files. */
export class FileTrash implements BlobTrash {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  #file(name: string): string {
    return blobFile(this.#root, name);
  }

  discard(sha256s: readonly string[]): Promise<ReadonlySet<string>> {
    return filterNames(sha256s, async (sha256) => {
      const trashed = this.#file(trashName(sha256));
      return (await isFound(rename(this.#file(sha256), trashed))) || (await isFound(stat(trashed)));
    });
  }

  async restore(sha256s: readonly string[]): Promise<void> {
    await filterNames(sha256s, (sha256) => isFound(rename(this.#file(trashName(sha256)), this.#file(sha256))));
  }

  purge(sha256s: readonly string[]): Promise<ReadonlySet<string>> {
    return filterNames(sha256s, (sha256) => isFound(unlink(this.#file(trashName(sha256)))));
  }

  async close(): Promise<void> {}
}

/** Returns whether an operation found its file. */
async function isFound(operation: Promise<unknown>): Promise<boolean> {
  try {
    await operation;
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
