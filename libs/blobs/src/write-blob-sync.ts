import { closeSync, fdatasyncSync, mkdirSync, openSync, renameSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeOf } from '@tidemark/errors';
import { blobFile, partialOf } from './blob-file.ts';
import type { PackedBlob } from './pack-blob.ts';

/**
 * Returns a function that writes a blob durably and synchronously, for worker threads that may block. A file takes 0.2 ms of CPU;
 * asynchronous writes need about six hand-overs to the thread pool and take 0.5 ms. The function throws if the write fails.
 * @returns undefined if the blob store is not a folder
 */
export function makeSyncBlobWriter(address: string): ((blob: PackedBlob) => void) | undefined {
  const url = new URL(address);
  if (url.protocol !== 'file:') return undefined;
  const root = fileURLToPath(url);
  return ({ sha256, packed }) => {
    const file = blobFile(root, sha256);
    if (statSync(file, { throwIfNoEntry: false }) !== undefined) return;
    const partial = partialOf(file);
    const handle = openNewFile(partial);
    try {
      // A full disk causes a short write first; the next write then reports the error.
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

function openNewFile(file: string): number {
  try {
    return openSync(file, 'wx');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    mkdirSync(dirname(file), { recursive: true });
    return openSync(file, 'wx');
  }
}
