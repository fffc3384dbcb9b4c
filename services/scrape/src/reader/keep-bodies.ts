import { makeSyncBlobWriter, packBlob } from '@tidemark/blobs';
import type { ReadResult, ReadTask } from '@tidemark/page-reader';
import type { StoredContent } from '../domain/page-row.ts';

/** A reading as returned by its thread, with its bodies stored, or packed to be stored. */
export interface KeptReading extends ReadResult {
  readonly kept: StoredContent | undefined;
}

const NOTHING = new Uint8Array();

/**
 * Hashes and compresses the bodies of a page on the thread that read it, and writes them if the store is a folder. The
 * event loop then has no work with them, and bodies that no client waits for are not transferred. The bodies of a
 * refusal are returned as they are, because a later rung may replace them.
 */
export function makeKeepBodies(blobUrl: string | undefined): (task: ReadTask, result: ReadResult) => KeptReading {
  const keepNow = blobUrl === undefined ? undefined : makeSyncBlobWriter(blobUrl);
  return (task, result) => {
    if (task.output === 'verdict') return { ...result, bodies: NOTHING, kept: undefined };
    if (task.output === 'unstored' || task.isExtracted === true) return { ...result, kept: undefined };
    if (blobUrl === undefined || result.bodies.length === 0 || result.classification.verdict === 'blocked')
      return { ...result, kept: undefined };
    const { packed, ...ref } = packBlob(result.bodies);
    const bodies = task.output === 'bodies' ? result.bodies : NOTHING;
    try {
      keepNow?.({ ...ref, packed });
      if (keepNow !== undefined) return { ...result, bodies, kept: ref };
    } catch {
      // The caller stores the packed bodies and reports a persistent failure.
    }
    return { ...result, bodies, kept: { ...ref, packed } };
  };
}
