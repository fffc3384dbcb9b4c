import { rename, stat, unlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { AppError, codeOf } from '@tidemark/errors';
import { blobFile } from './blob-file.ts';
import { S3Driver } from './s3-driver.ts';

/**
 * The way of a blob out of the store. It is set aside first, where it is still read, and destroyed only later: a capture that
 * found it "already there" and therefore did not write it has told of its row by then, and the blob is taken back.
 */
export interface Shelf {
  /** @returns false where there is no such blob, neither in its place nor aside */
  setAside(sha256: string): Promise<boolean>;
  /** Puts what was set aside back in its place. Harmless where nothing was. */
  takeBack(sha256: string): Promise<void>;
  /** Destroys what was set aside; never what is in its place. @returns whether there was anything */
  destroy(sha256: string): Promise<boolean>;
  close(): Promise<void>;
}

/** The name a blob has while it is set aside: that of no blob, beside its own. */
export const asideName = (sha256: string): string => `${sha256}.aside`;

/** Reads a blob from its place or from aside; from its place again where it was just being taken back. */
export async function readAnywhere(
  driver: { read(name: string): Promise<Uint8Array | undefined> },
  sha256: string,
): Promise<Uint8Array | undefined> {
  return (await driver.read(sha256)) ?? (await driver.read(asideName(sha256))) ?? (await driver.read(sha256));
}

class FolderShelf implements Shelf {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  #file(name: string): string {
    return blobFile(this.#root, name);
  }

  async setAside(sha256: string): Promise<boolean> {
    const aside = this.#file(asideName(sha256));
    return (await there(rename(this.#file(sha256), aside))) || (await there(stat(aside)));
  }

  async takeBack(sha256: string): Promise<void> {
    await there(rename(this.#file(asideName(sha256)), this.#file(sha256)));
  }

  destroy(sha256: string): Promise<boolean> {
    return there(unlink(this.#file(asideName(sha256))));
  }

  async close(): Promise<void> {}
}

/** Whether an operation found its file. */
async function there(operation: Promise<unknown>): Promise<boolean> {
  try {
    await operation;
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

class BucketShelf implements Shelf {
  readonly #driver: S3Driver;

  constructor(driver: S3Driver) {
    this.#driver = driver;
  }

  async setAside(sha256: string): Promise<boolean> {
    const aside = asideName(sha256);
    return (await this.#driver.move(sha256, aside)) || (await this.#driver.has(aside));
  }

  async takeBack(sha256: string): Promise<void> {
    await this.#driver.move(asideName(sha256), sha256);
  }

  async destroy(sha256: string): Promise<boolean> {
    const aside = asideName(sha256);
    if (!(await this.#driver.has(aside))) return false;
    await this.#driver.remove(aside);
    return true;
  }

  close(): Promise<void> {
    return this.#driver.close();
  }
}

function bucketOf(address: URL): S3Driver {
  const prefix = address.pathname.replace(/^\/|\/$/g, '');
  return new S3Driver({
    bucket: address.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint: address.searchParams.get('endpoint') ?? undefined,
    region: address.searchParams.get('region') ?? 'us-east-1',
  });
}

/** Opens the shelf of the blob store an address names. @throws AppError where it is neither a folder nor a bucket */
export function openShelf(address: string): Shelf {
  const url = new URL(address);
  if (url.protocol === 'file:') return new FolderShelf(fileURLToPath(url));
  if (url.protocol === 's3:') return new BucketShelf(bucketOf(url));
  throw new AppError('internal', `blobs are in a file:// folder or an s3:// bucket, not in ${url.protocol}`);
}

/**
 * The part of a blob store that is one owner's alone: whoever throws blobs away must know of everybody who names them, and knows
 * of itself.
 */
export function partOf(address: string, owner: string): string {
  const url = new URL(address);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${owner}`;
  return url.href;
}
