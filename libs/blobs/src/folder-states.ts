import { fileURLToPath } from 'node:url';
import { segmentFolder } from './segments/segment-folder.ts';
import { SegmentIndex } from './segments/segment-index.ts';

export type BlobState = 'stored' | 'in_trash' | 'missing';

/** States of the blobs in a folder with segments, for tests. */
export interface FolderStates {
  stateOf(sha256: string): BlobState;
  close(): void;
}

/** @param address a `file://` URL */
export function openFolderStates(address: string): FolderStates {
  const index = new SegmentIndex(segmentFolder(fileURLToPath(address)), { isDurable: false });
  return {
    stateOf(sha256) {
      const found = index.find(Buffer.from(sha256, 'hex'));
      if (found === undefined) return 'missing';
      return found.isInTrash ? 'in_trash' : 'stored';
    },
    close: () => index.close(),
  };
}
