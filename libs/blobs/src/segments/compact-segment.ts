import { closeSync, constants, fstatSync, openSync, readSync, unlinkSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { codeOf } from '@tidemark/errors';
import { type FoundEntry, readFoundBody, scanEntries } from './entry-format.ts';
import { segmentPath } from './segment-folder.ts';
import type { IndexedEntry, SegmentIndex } from './segment-index.ts';
import type { RawEntry, SegmentWriter } from './segment-writer.ts';
import type { OnStep } from './steps.ts';

/** Bytes that are copied before they are synced and the index is changed. */
const BATCH_BYTES = 4 * 1024 * 1024;

export interface CompactDeps {
  readonly folder: string;
  readonly index: SegmentIndex;
  readonly writer: SegmentWriter;
  readonly onStep: OnStep;
}

interface Copy {
  readonly from: IndexedEntry;
  readonly raw: RawEntry;
}

/**
 * Copies the live entries of a sealed segment to the writer's segment, then removes it. Readers find an entry at its old place until the index
 * refers to the new one. @returns false if entries of it can not be read; the segment is then kept
 */
export async function compactSegment(deps: CompactDeps, segment: string): Promise<boolean> {
  const { folder, index, onStep } = deps;
  const path = segmentPath(folder, segment);
  const fd = openExisting(path);
  if (fd !== undefined) {
    try {
      await copyLive(deps, segment, fd);
    } finally {
      closeSync(fd);
    }
  }
  if (index.segments().some(({ name, liveBytes }) => name === segment && liveBytes > 0)) return false;
  // The file first: an entry of a segment that the index does not list would be recovered.
  if (fd !== undefined) unlinkSync(path);
  onStep('segment removed');
  return index.removeSegment(segment);
}

async function copyLive({ index, writer, onStep }: CompactDeps, segment: string, fd: number): Promise<void> {
  let batch: Copy[] = [];
  let bytes = 0;
  const flush = (): void => {
    if (batch.length === 0) return;
    const written = writer.appendSync(batch.map(({ raw }) => raw));
    onStep('copied');
    writer.syncSync();
    onStep('synced');
    index.move(
      batch.flatMap(({ from, raw }, at) => (written[at] ? [{ sha256: raw.sha256, from, to: written[at] }] : [])),
    );
    onStep('moved');
    batch = [];
    bytes = 0;
  };
  for (const found of scanEntries(fd, fstatSync(fd).size)) {
    const copy = liveCopy(index, segment, fd, found);
    if (copy === undefined) continue;
    batch.push(copy);
    bytes += copy.from.span;
    if (bytes < BATCH_BYTES) continue;
    flush();
    await nextTurn();
  }
  flush();
}

/** Returns undefined if the index does not refer to the entry, or its body is damaged. */
function liveCopy(index: SegmentIndex, segment: string, fd: number, found: FoundEntry): Copy | undefined {
  const { at, header } = found;
  const location = index.find(header.sha256);
  if (location?.segment !== segment || location.at !== at || header.isErased) return undefined;
  const body = readFoundBody(fd, found);
  if (body === undefined) return undefined;
  const head = Buffer.alloc(header.bodyAt);
  readSync(fd, head, 0, head.length, at);
  return {
    from: { sha256: header.sha256, segment, at, span: header.span },
    raw: { sha256: header.sha256, parts: [head, body] },
  };
}

function openExisting(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
