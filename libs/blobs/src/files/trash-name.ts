const SUFFIX = '.trash';

/** Returns the name of a blob in the trash of a store that keeps an object or a file per body. */
export const trashName = (sha256: string): string => `${sha256}${SUFFIX}`;

/** Returns the blob whose name in the trash this is; undefined if it is no such name. */
export const nameInTrash = (name: string): string | undefined =>
  name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : undefined;

/** Reads a blob from the store or from the trash. Reads the store twice, because the blob may be restored between the reads. */
export async function readBlobOrTrash(
  read: (name: string) => Promise<Uint8Array | undefined>,
  sha256: string,
): Promise<Uint8Array | undefined> {
  return (await read(sha256)) ?? (await read(trashName(sha256))) ?? (await read(sha256));
}
