import { closeSync, openSync, writeSync } from 'node:fs';

/** Writes a file until the file system has no space left. */
export function fillDisk(file: string): void {
  const handle = openSync(file, 'w');
  const block = Buffer.alloc(64 * 1024, 1);
  try {
    for (let written = block.length; written > 0; ) written = writeSync(handle, block);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(handle);
  }
}
