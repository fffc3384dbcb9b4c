/** Returns the name of a blob in the trash of a store that keeps an object or a file per body. */
export const trashName = (sha256: string): string => `${sha256}.trash`;

/** Reads a blob from the store or from the trash. Reads the store twice, because the blob may be restored between the reads. */
export async function readBlobOrTrash(
  read: (name: string) => Promise<Uint8Array | undefined>,
  sha256: string,
): Promise<Uint8Array | undefined> {
  return (await read(sha256)) ?? (await read(trashName(sha256))) ?? (await read(sha256));
}
