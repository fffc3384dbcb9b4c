import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

/** Returns the path of a blob. Blobs are spread over 256 folders to limit the size of each. */
export const blobFile = (root: string, sha256: string): string => join(root, sha256.slice(0, 2), `${sha256}.zst`);

/** Returns a temporary path for writing a file, which is then renamed. */
export const partialOf = (file: string): string => `${file}.${randomUUID()}.partial`;
