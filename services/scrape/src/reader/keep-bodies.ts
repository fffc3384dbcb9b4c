import { openAppender, packBlob } from '@tidemark/blobs';
import type { ReadResult, ReadTask } from '@tidemark/page-reader';
import type { StoredContent } from '../domain/page-row.ts';

/** A reading as returned by its thread, with its bodies appended to a segment, or packed to be stored. */
export interface KeptReading extends ReadResult {
  readonly kept: StoredContent | undefined;
}

const NOTHING = new Uint8Array();

/**
 * Hashes and compresses the bodies of a page on the thread that read it, and appends them to a segment if the store has segments, without a
 * wait for the disk. Bodies that no client waits for are then not transferred. The bodies of a refusal are returned as they are, because a later
 * rung may replace them.
 */
export function makeKeepBodies(blobUrl: string | undefined): (task: ReadTask, result: ReadResult) => KeptReading {
  const appender = blobUrl === undefined ? undefined : openAppender(blobUrl);
  return (task, result) => {
    if (task.output === 'verdict') return { ...result, bodies: NOTHING, kept: undefined };
    if (task.output === 'unstored' || task.isExtracted === true) return { ...result, kept: undefined };
    if (blobUrl === undefined || result.bodies.length === 0 || result.classification.verdict === 'blocked')
      return { ...result, kept: undefined };
    const { packed, ...ref } = packBlob(result.bodies);
    const bodies = task.output === 'bodies' ? result.bodies : NOTHING;
    try {
      if (appender !== undefined) return { ...result, bodies, kept: appender.append({ ...ref, packed }) };
    } catch {
      // The caller stores the packed bodies and reports a persistent failure.
    }
    return { ...result, bodies, kept: { ...ref, packed } };
  };
}
