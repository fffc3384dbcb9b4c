import { type BlobStore, openBlobs, ownerBlobUrl } from '@tidemark/blobs';

/** A part of the blob store, each with the bodies of its owner. */
export interface BodyStore {
  readonly store: string;
  readonly blobs: BlobStore;
}

/** Opens the parts of the blob store: `pages` (scrape and archive) and `map` (files of sites). */
export const openBodyStores = (blobUrl: string): readonly BodyStore[] => [
  { store: 'pages', blobs: openBlobs(blobUrl) },
  { store: 'map', blobs: openBlobs(ownerBlobUrl(blobUrl, 'map')) },
];

export async function closeBodyStores(stores: readonly BodyStore[]): Promise<void> {
  await Promise.all(stores.map(({ blobs }) => blobs.close()));
}
