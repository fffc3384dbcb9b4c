import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

/** Where a folder keeps a blob: 256 folders, so that none grows without end. */
export const blobFile = (root: string, sha256: string): string => join(root, sha256.slice(0, 2), `${sha256}.zst`);

/** Where a blob is written before it appears under its name, whole. */
export const partialOf = (file: string): string => `${file}.${randomUUID()}.partial`;
