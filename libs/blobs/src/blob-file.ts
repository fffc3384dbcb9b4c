import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

/** Returns the path of a blob. Blobs are spread over 256 folders to limit the size of each. */
export const blobFile = (root: string, sha256: string): string => join(root, sha256.slice(0, 2), `${sha256}.zst`);

/** A folder of blobs. Other folders of a root are the parts of other owners. */
export const isBlobFolder = (name: string): boolean => /^[0-9a-f]{2}$/.test(name);

/** Returns the name of the blob in a file; undefined if the file is a temporary one. */
export const nameOfBlobFile = (file: string): string | undefined => /^(.+)\.zst$/.exec(file)?.[1];

/** Returns a temporary path for writing a file, which is then renamed. */
export const partialOf = (file: string): string => `${file}.${randomUUID()}.partial`;
