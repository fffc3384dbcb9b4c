import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { SEGMENT_HEADER } from './entry-format.ts';

const SUFFIX = '.seg';
const NAME = /^[0-9a-f]{12}-[0-9a-f]{16}$/;

/** Returns the folder of the segments and their index in a blob store. */
export const segmentFolder = (root: string): string => join(root, 'segments');

export const segmentPath = (folder: string, name: string): string => join(folder, `${name}${SUFFIX}`);

/** Returns the names of all segments, oldest first. */
export function listSegments(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .filter((name) => NAME.test(name))
    .sort();
}

/** Returns the time at which a segment was created, ms since 1970. */
export const createdMs = (name: string): number => Number.parseInt(name.slice(0, 12), 16);

/** Creates the folder of the segments durably, with its parents. */
export function createSegmentFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  const above = dirname(first);
  for (let created = folder; created !== above; created = dirname(created)) syncFolder(dirname(created));
}

/** Creates a segment durably: the file with its header, and its name in the folder. @returns an open descriptor */
export function createSegment(folder: string, nowMs: number): { readonly name: string; readonly fd: number } {
  createSegmentFolder(folder);
  const name = `${nowMs.toString(16).padStart(12, '0')}-${randomBytes(8).toString('hex')}`;
  const fd = openSync(segmentPath(folder, name), 'wx');
  try {
    writeSync(fd, SEGMENT_HEADER);
    syncFolder(folder);
  } catch (error) {
    closeSync(fd);
    // On a full disk every write fails here, and each would leave a file.
    unlinkSync(segmentPath(folder, name));
    throw error;
  }
  return { name, fd };
}

function syncFolder(folder: string): void {
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
