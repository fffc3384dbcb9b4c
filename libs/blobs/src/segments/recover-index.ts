import { closeSync, constants, fdatasyncSync, fstatSync, openSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { codeOf } from '@tidemark/errors';
import { ERASED_AT, type FoundEntry, readFoundBody, scanEntries } from './entry-format.ts';
import { listSegments, segmentPath } from './segment-folder.ts';
import type { IndexedEntry, RecoveredEntry, SegmentIndex } from './segment-index.ts';

/** Entries that are added to the index in one transaction. */
const BATCH = 500;

/**
 * Adds the entries that the index lacks: those of commits that a power failure has undone, or all if the index was deleted. Reads the headers of every
 * segment that is not sealed, and the bodies of entries that the index lacks; a torn entry does not match its checksum and is left out.
 */
export async function recoverIndex(folder: string, index: SegmentIndex): Promise<void> {
  const sealed = new Set(
    index
      .segments()
      .filter(({ isSealed }) => isSealed)
      .map(({ name }) => name),
  );
  for (const name of listSegments(folder)) {
    if (sealed.has(name)) continue;
    recoverSegment(folder, index, name, false);
    await nextTurn();
  }
}

/** Adds the entries of one segment that the index lacks. @param isSealed copies of bodies that are stored elsewhere are then dead */
export function recoverSegment(folder: string, index: SegmentIndex, segment: string, isSealed: boolean): void {
  const fd = openExisting(segmentPath(folder, segment));
  if (fd === undefined) return;
  try {
    // The index never refers to an entry that is not durable.
    fdatasyncSync(fd);
    index.register(segment);
    const isErased = ({ at }: IndexedEntry): boolean => {
      const byte = Buffer.alloc(1);
      readSync(fd, byte, 0, 1, at + ERASED_AT);
      return byte[0] === 1;
    };
    let batch: RecoveredEntry[] = [];
    const flush = (): void => {
      if (batch.length > 0) index.recover(batch, { isErased, isSealed });
      batch = [];
    };
    for (const found of scanEntries(fd, fstatSync(fd).size)) {
      if (!isMissing(index, segment, found, isSealed)) continue;
      if (readFoundBody(fd, found) === undefined) continue;
      const { sha256, span, appendedMs } = found.header;
      batch.push({ sha256, segment, at: found.at, span, appendedMs });
      if (batch.length === BATCH) flush();
    }
    flush();
  } finally {
    closeSync(fd);
  }
}

/** Returns whether the index does not refer to this entry, and may have to. */
function isMissing(index: SegmentIndex, segment: string, { at, header }: FoundEntry, isSealed: boolean): boolean {
  if (header.isErased) return false;
  const location = index.find(header.sha256);
  if (location === undefined) return true;
  return isSealed && (location.segment !== segment || location.at !== at);
}

function openExisting(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
