import type { BlobDriver } from './blob-driver.ts';

const SUFFIX = '.trash';

/** Returns the name of a blob in the trash. */
export const trashName = (sha256: string): string => `${sha256}${SUFFIX}`;

/** Returns the blob whose name in the trash this is; undefined if it is no such name. */
export const nameInTrash = (name: string): string | undefined =>
  name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : undefined;

/** Reads a blob from the store or from the trash. Reads the store twice, because the blob may be restored between the reads. */
export async function readBlobOrTrash(
  driver: Pick<BlobDriver, 'read'>,
  sha256: string,
): Promise<Uint8Array | undefined> {
  return (await driver.read(sha256)) ?? (await driver.read(trashName(sha256))) ?? (await driver.read(sha256));
}
