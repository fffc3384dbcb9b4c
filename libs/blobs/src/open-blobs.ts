import { fileURLToPath } from 'node:url';
import { BlobStore } from './blob-store.ts';
import { FolderDriver } from './folder-driver.ts';
import { S3Driver } from './s3-driver.ts';

/**
 * Opens a blob store: `file:///var/lib/tidemark/blobs` or `s3://bucket/prefix?region=eu-west-1&endpoint=https://…`.
 * @throws Error for another URL scheme
 */
export function openBlobs(address: string): BlobStore {
  const url = new URL(address);
  if (url.protocol === 'file:') return new BlobStore(new FolderDriver(fileURLToPath(url)));
  if (url.protocol === 's3:') {
    const prefix = url.pathname.replace(/^\/|\/$/g, '');
    return new BlobStore(
      new S3Driver({
        bucket: url.hostname,
        prefix: prefix === '' ? '' : `${prefix}/`,
        endpoint: url.searchParams.get('endpoint') ?? undefined,
        region: url.searchParams.get('region') ?? 'us-east-1',
      }),
    );
  }
  throw new Error(`BLOB_URL must be a file:// folder or an s3:// bucket; got ${url.protocol}`);
}
