import { closeSync, fdatasyncSync, mkdirSync, openSync, renameSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeOf } from '@tidemark/errors';
import { blobFile, partialOf } from './blob-file.ts';
import type { PackedBlob } from './pack-blob.ts';

/**
 * Keeps blobs from a thread that may wait for the disk itself. A file costs it 0.2 ms of CPU; through the pool of Node's own
 * threads, half a dozen trips there and back cost 0.5. Durable when it returns; throws where the disk refuses.
 * @returns undefined where the store the address names is not a folder
 */
export function keepHere(address: string): ((blob: PackedBlob) => void) | undefined {
  const url = new URL(address);
  if (url.protocol !== 'file:') return undefined;
  const root = fileURLToPath(url);
  return ({ sha256, packed }) => {
    const file = blobFile(root, sha256);
    if (statSync(file, { throwIfNoEntry: false }) !== undefined) return;
    const partial = partialOf(file);
    const handle = openInFolder(partial);
    try {
      // A short write is an error of a full disk, which the next one reports.
      for (let at = 0; at < packed.length; ) at += writeSync(handle, packed, at);
      fdatasyncSync(handle);
    } catch (error) {
      unlinkSync(partial);
      throw error;
    } finally {
      closeSync(handle);
    }
    renameSync(partial, file);
  };
}

function openInFolder(file: string): number {
  try {
    return openSync(file, 'wx');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    mkdirSync(dirname(file), { recursive: true });
    return openSync(file, 'wx');
  }
}
