import { rename, stat, unlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { AppError, codeOf } from '@tidemark/errors';
import { blobFile } from './blob-file.ts';
import { S3Driver } from './s3-driver.ts';
import { trashName } from './trash-name.ts';

/**
 * Deletes blobs in two steps: a blob is moved to the trash, where it can still be read, and purged later. In between it is restored if
 * a new row references it: a writer that found the blob in the store did not write it again, and may not have committed its row yet.
 */
export interface BlobTrash {
  /** Moves a blob to the trash. @returns false if it is neither in the store nor in the trash */
  discard(sha256: string): Promise<boolean>;
  /** Moves a blob from the trash back to the store. Does nothing if it is not in the trash. */
  restore(sha256: string): Promise<void>;
  /** Deletes a blob from the trash, never from the store. @returns false if it is not in the trash */
  purge(sha256: string): Promise<boolean>;
  close(): Promise<void>;
}

class FolderTrash implements BlobTrash {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  #file(name: string): string {
    return blobFile(this.#root, name);
  }

  async discard(sha256: string): Promise<boolean> {
    const trashed = this.#file(trashName(sha256));
    return (await isFound(rename(this.#file(sha256), trashed))) || (await isFound(stat(trashed)));
  }

  async restore(sha256: string): Promise<void> {
    await isFound(rename(this.#file(trashName(sha256)), this.#file(sha256)));
  }

  purge(sha256: string): Promise<boolean> {
    return isFound(unlink(this.#file(trashName(sha256))));
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

class BucketTrash implements BlobTrash {
  readonly #driver: S3Driver;

  constructor(driver: S3Driver) {
    this.#driver = driver;
  }

  async discard(sha256: string): Promise<boolean> {
    const trashed = trashName(sha256);
    return (await this.#driver.move(sha256, trashed)) || (await this.#driver.has(trashed));
  }

  async restore(sha256: string): Promise<void> {
    await this.#driver.move(trashName(sha256), sha256);
  }

  async purge(sha256: string): Promise<boolean> {
    const trashed = trashName(sha256);
    if (!(await this.#driver.has(trashed))) return false;
    await this.#driver.remove(trashed);
    return true;
  }

  close(): Promise<void> {
    return this.#driver.close();
  }
}

function s3DriverFor(address: URL): S3Driver {
  const prefix = address.pathname.replace(/^\/|\/$/g, '');
  return new S3Driver({
    bucket: address.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint: address.searchParams.get('endpoint') ?? undefined,
    region: address.searchParams.get('region') ?? 'us-east-1',
  });
}

/** Opens the trash of a blob store. @throws AppError for a URL that is neither a folder nor a bucket */
export function openBlobTrash(address: string): BlobTrash {
  const url = new URL(address);
  if (url.protocol === 'file:') return new FolderTrash(fileURLToPath(url));
  if (url.protocol === 's3:') return new BucketTrash(s3DriverFor(url));
  throw new AppError('internal', `BLOB_URL must be a file:// folder or an s3:// bucket; got ${url.protocol}`);
}

/**
 * Returns the URL of a service's own part of a blob store. A service that deletes blobs must know all references to them, so it stores
 * them where no other service does.
 */
export function ownerBlobUrl(address: string, owner: string): string {
  const url = new URL(address);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${owner}`;
  return url.href;
}
