import { type BlobTrash, filterNames } from '../blob-trash.ts';
import { trashName } from '../files/trash-name.ts';
import type { S3Driver } from './s3-driver.ts';

/** The trash of a bucket: objects under another name. */
export class BucketTrash implements BlobTrash {
  readonly #driver: S3Driver;

  constructor(driver: S3Driver) {
    this.#driver = driver;
  }

  discard(sha256s: readonly string[]): Promise<ReadonlySet<string>> {
    return filterNames(sha256s, async (sha256) => {
      const trashed = trashName(sha256);
      return (await this.#driver.move(sha256, trashed)) || (await this.#driver.has(trashed));
    });
  }

  async restore(sha256s: readonly string[]): Promise<void> {
    await filterNames(sha256s, (sha256) => this.#driver.move(trashName(sha256), sha256));
  }

  purge(sha256s: readonly string[]): Promise<ReadonlySet<string>> {
    return filterNames(sha256s, async (sha256) => {
      const trashed = trashName(sha256);
      if (!(await this.#driver.has(trashed))) return false;
      await this.#driver.remove(trashed);
      return true;
    });
  }

  close(): Promise<void> {
    return this.#driver.close();
  }
}
