import { unzipSync } from 'fflate';

/** Returns one file of a zip archive. @throws Error where the bytes are no zip archive or the file is not in it */
export function readZipEntry(zip: Buffer, path: string): Buffer {
  const entry = unzipSync(zip, { filter: ({ name }) => name === path })[path];
  if (entry === undefined) throw new Error(`${path} is not in the archive`);
  return Buffer.from(entry);
}
