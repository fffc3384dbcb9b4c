import { close, constants, fdatasync, open, write } from 'node:fs';
import { promisify } from 'node:util';
import { codeOf } from '@tidemark/errors';
import { ENTRY_HEADER_BYTES, ERASED_AT } from './entry-format.ts';
import { segmentPath } from './segment-folder.ts';
import type { Location, SegmentIndex } from './segment-index.ts';
import type { OnStep } from './steps.ts';

const openAsync = promisify(open);
const writeAsync = promisify(write);
const syncAsync = promisify(fdatasync);
const closeAsync = promisify(close);

/** Dead entries that are erased in one round. */
const BATCH = 500;
const ZEROS = Buffer.alloc(64 * 1024);
const ERASED = Uint8Array.of(1);

/** Overwrites the bodies of all dead entries with zeros. Compaction returns their space later. */
export async function eraseDead(folder: string, index: SegmentIndex, onStep: OnStep): Promise<void> {
  for (;;) {
    const dead = index.dead(BATCH);
    if (dead.length === 0) return;
    for (const [segment, entries] of Map.groupBy(dead, ({ segment }) => segment))
      await eraseIn(segmentPath(folder, segment), entries, onStep);
    index.erased(dead);
    onStep('erased');
    if (dead.length < BATCH) return;
  }
}

async function eraseIn(path: string, entries: readonly Location[], onStep: OnStep): Promise<void> {
  const fd = await openAsync(path, constants.O_WRONLY).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (fd === undefined) return;
  try {
    for (const { at, span } of entries) {
      // The mark first: a reader then does not take the zeros for a damaged body.
      await writeAsync(fd, ERASED, 0, 1, at + ERASED_AT);
      onStep('erasing');
      for (let done = ENTRY_HEADER_BYTES; done < span; done += ZEROS.length)
        await writeAsync(fd, ZEROS, 0, Math.min(ZEROS.length, span - done), at + done);
    }
    await syncAsync(fd);
  } finally {
    await closeAsync(fd);
  }
}
