import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '@tidemark/errors';
import { type BlobMaintenance, noMaintenance } from './blob-maintenance.ts';
import { BlobStore } from './blob-store.ts';
import type { BlobTrash } from './blob-trash.ts';
import { FileDriver } from './files/file-driver.ts';
import { FileTrash } from './files/file-trash.ts';
import { BucketTrash } from './s3/bucket-trash.ts';
import { S3Driver } from './s3/s3-driver.ts';
import { SegmentAppender } from './segments/segment-appender.ts';
import { SegmentDriver } from './segments/segment-driver.ts';
import { listSegments, segmentFolder } from './segments/segment-folder.ts';
import { SegmentMaintenance } from './segments/segment-maintenance.ts';
import { SegmentTrash } from './segments/segment-trash.ts';

type Place =
  | { readonly kind: 'segments' | 'files'; readonly root: string }
  | { readonly kind: 'bucket'; readonly driver: () => S3Driver };

/**
 * Opens a blob store: `file:///var/lib/tidemark/blobs` or `s3://bucket/prefix?region=eu-west-1&endpoint=https://…`. A folder has segments. With
 * `?layout=files`, or on a file system of several machines, which can share no index, it has a file per body.
 * @throws AppError for another URL, and for a folder with segments that is opened as files
 */
export function openBlobs(address: string): BlobStore {
  const place = placeOf(address);
  if (place.kind === 'bucket') return new BlobStore(place.driver());
  return new BlobStore(place.kind === 'segments' ? new SegmentDriver(place.root) : new FileDriver(place.root));
}

/** Opens the trash of a blob store. @throws AppError for a URL that is neither a folder nor a bucket */
export function openBlobTrash(address: string): BlobTrash {
  const place = placeOf(address);
  if (place.kind === 'bucket') return new BucketTrash(place.driver());
  return place.kind === 'segments' ? new SegmentTrash(place.root) : new FileTrash(place.root);
}

/** Opens the background work of a blob store. @throws AppError for a URL that is neither a folder nor a bucket */
export function openBlobMaintenance(address: string): BlobMaintenance {
  const place = placeOf(address);
  return place.kind === 'segments' ? new SegmentMaintenance(place.root) : noMaintenance;
}

/** Opens an appender for one worker thread. @returns undefined if the store has no segments */
export function openAppender(address: string): SegmentAppender | undefined {
  const place = placeOf(address);
  return place.kind === 'segments' ? new SegmentAppender(place.root) : undefined;
}

/**
 * Returns the URL of a service's own part of a blob store. A service that deletes blobs must know all references to them, so it stores
 * them where no other service does.
 */
export function ownerBlobUrl(address: string, owner: string): string {
  const url = new URL(address);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${owner}`;
  return url.href;
}

function placeOf(address: string): Place {
  const url = new URL(address);
  if (url.protocol === 's3:') return { kind: 'bucket', driver: () => s3DriverFor(url) };
  if (url.protocol !== 'file:')
    throw new AppError('internal', `BLOB_URL must be a file:// folder or an s3:// bucket; got ${url.protocol}`);
  const layout = url.searchParams.get('layout');
  if (layout !== null && layout !== 'segments' && layout !== 'files')
    throw new AppError('internal', `layout in BLOB_URL must be segments or files; got ${layout}`);
  const root = fileURLToPath(url);
  const kind = layout ?? (isShared(root) ? 'files' : 'segments');
  if (kind === 'files' && listSegments(segmentFolder(root)).length > 0)
    throw new AppError(
      'internal',
      `${root} has bodies in segments, which the layout files does not read; expected a local disk, or a folder into which they were copied with tidemark-admin backup and restore`,
    );
  return { kind, root };
}

/**
 * Magic numbers of file systems that several machines may use at once (statfs(2)): NFS, SMB, SMB 2, Ceph, AFS, 9P, Lustre, GPFS, FUSE (GlusterFS,
 * JuiceFS and mounted buckets, but also local ones), GFS2, OCFS2, BeeGFS.
 */
const SHARED_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x00c36400, 0x5346414f, 0x01021997, 0x0bd00bd0, 0x47504653, 0x65735546,
  0x01161970, 0x7461636f, 0x19830326,
]);

/** The index is a SQLite database in WAL mode, whose processes share memory: https://www.sqlite.org/wal.html */
function isShared(root: string): boolean {
  let existing = root;
  while (!existsSync(existing)) existing = dirname(existing);
  return SHARED_FILE_SYSTEMS.has(statfsSync(existing).type >>> 0);
}

function s3DriverFor(address: URL): S3Driver {
  const prefix = address.pathname.replace(/^\/|\/$/g, '');
  return new S3Driver({
    bucket: address.hostname,
    prefix: prefix === '' ? '' : `${prefix}/`,
    endpoint: address.searchParams.get('endpoint') ?? undefined,
    region: address.searchParams.get('region') ?? 'us-east-1',
  });
}
