import { keepHere, packBlob } from '@tidemark/blobs';
import type { StoredContent } from '../domain/page-row.ts';
import type { ReadResult, ReadTask } from './read-task.ts';

/** A reading as its thread hands it over: its bodies kept already, or packed for whoever can keep them. */
export interface KeptReading extends ReadResult {
  readonly kept: StoredContent | undefined;
}

const NOTHING = new Uint8Array();

/**
 * Names, compresses and, where the store is a folder, writes the bodies of a page on the thread that read it: the event loop then
 * has nothing to do with them, and bodies nobody waits for are not handed over at all. A refusal may not be the last word on its
 * page, so what it brought is left to be kept by whoever has that.
 */
export function makeKeepBodies(blobUrl: string | undefined): (task: ReadTask, result: ReadResult) => KeptReading {
  const keepNow = blobUrl === undefined ? undefined : keepHere(blobUrl);
  return (task, result) => {
    if (task.output === 'verdict') return { ...result, bodies: NOTHING, kept: undefined };
    if (task.output === 'unstored') return { ...result, kept: undefined };
    if (blobUrl === undefined || result.bodies.length === 0 || result.classification.verdict === 'blocked')
      return { ...result, kept: undefined };
    const { packed, ...ref } = packBlob(result.bodies);
    const bodies = task.output === 'bodies' ? result.bodies : NOTHING;
    try {
      keepNow?.({ ...ref, packed });
      if (keepNow !== undefined) return { ...result, bodies, kept: ref };
    } catch {
      // A disk that refuses is told by the one who tries again.
    }
    return { ...result, bodies, kept: { ...ref, packed } };
  };
}
