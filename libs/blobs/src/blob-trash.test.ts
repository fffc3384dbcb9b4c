import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startFauxqs } from 'fauxqs';
import type { BlobStore } from './blob-store.ts';
import { type BlobTrash, openBlobTrash, ownerBlobUrl } from './blob-trash.ts';
import { openBlobs } from './open-blobs.ts';

/** Returns the names of every blob that a store lists. */
async function namesIn(blobs: BlobStore): Promise<string[]> {
  const names: string[] = [];
  for await (const name of blobs.list()) names.push(name);
  return names;
}

/** The contract of the trash, run against a folder and a bucket. */
function blobTrashContract(name: string, open: () => Promise<{ address: string; close: () => Promise<void> }>) {
  describe(`blob trash of ${name}`, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    let blobs: BlobStore;
    let trash: BlobTrash;
    beforeAll(async () => {
      opened = await open();
      blobs = openBlobs(opened.address);
      trash = openBlobTrash(opened.address);
    });
    afterAll(async () => {
      await blobs.close();
      await trash.close();
      await opened.close();
    });
    const text = async (sha256: string) => (await blobs.get(sha256)).toString();

    it('leaves a discarded blob readable until it is purged', async () => {
      const { sha256 } = await blobs.put(Buffer.from('read from the trash'));
      expect(await trash.discard(sha256)).toBe(true);
      expect(await text(sha256)).toBe('read from the trash');
      expect(await trash.discard(sha256)).toBe(true);
      expect(await trash.purge(sha256)).toBe(true);
      await expect(blobs.get(sha256)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('restores a blob, and a restored blob is not purged', async () => {
      const { sha256 } = await blobs.put(Buffer.from('restored'));
      await trash.discard(sha256);
      await trash.restore(sha256);
      await trash.restore(sha256);
      expect(await trash.purge(sha256)).toBe(false);
      expect(await text(sha256)).toBe('restored');
    });

    it('does not purge a blob that was stored again while it was in the trash', async () => {
      const { sha256 } = await blobs.put(Buffer.from('put again'));
      await trash.discard(sha256);
      await blobs.put(Buffer.from('put again'));
      expect(await trash.purge(sha256)).toBe(true);
      expect(await text(sha256)).toBe('put again');
    });

    it('keeps a blob in the list of the store, and lists no blob of another owner', async () => {
      const { sha256 } = await blobs.put(Buffer.from('in the trash and listed'));
      await trash.discard(sha256);
      const otherOwner = openBlobs(ownerBlobUrl(opened.address, 'other'));
      const other = await otherOwner.put(Buffer.from('of another owner'));
      const names = await namesIn(blobs);
      expect(names).toContain(sha256);
      expect(names).not.toContain(other.sha256);
      expect(await namesIn(otherOwner)).toContain(other.sha256);
      await otherOwner.close();
    });

    it('reports that a blob to discard or to purge does not exist', async () => {
      expect(await trash.discard('0'.repeat(64))).toBe(false);
      expect(await trash.purge('0'.repeat(64))).toBe(false);
    });

    it('leaves a blob readable at every moment while it is discarded and restored', async () => {
      const { sha256 } = await blobs.put(Buffer.from('always there'));
      for (let i = 0; i < 40; i += 1) {
        const reads = Array.from({ length: 4 }, () => text(sha256));
        await Promise.all([i % 2 === 0 ? trash.discard(sha256) : trash.restore(sha256), ...reads]);
        expect(new Set(await Promise.all(reads))).toEqual(new Set(['always there']));
      }
    });

    it('does not affect blobs in the part of another owner', async () => {
      const otherOwner = openBlobs(ownerBlobUrl(opened.address, 'other'));
      const bytes = Buffer.from('equal bytes of two owners');
      const { sha256 } = await otherOwner.put(bytes);
      expect(await trash.discard(sha256)).toBe(false);
      await blobs.put(bytes);
      await trash.discard(sha256);
      await trash.purge(sha256);
      expect(await otherOwner.get(sha256)).toEqual(bytes);
      await otherOwner.close();
    });
  });
}

blobTrashContract('a folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-trash-'));
  return { address: pathToFileURL(folder).href, close: async () => undefined };
});

blobTrashContract('an S3 bucket', async () => {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'test';
  const server = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  server.createBucket('pages');
  const endpoint = encodeURIComponent(`http://127.0.0.1:${server.port}`);
  return { address: `s3://pages/kept?endpoint=${endpoint}`, close: () => server.stop() };
});
