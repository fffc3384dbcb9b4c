import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startFauxqs } from 'fauxqs';
import type { BlobStore } from './blob-store.ts';
import { openBlobs } from './open-blobs.ts';
import { openShelf, partOf, type Shelf } from './shelf.ts';

/** One suite for both kinds of store: what holds in a folder holds in a bucket. */
function shelfContract(name: string, open: () => Promise<{ address: string; close: () => Promise<void> }>) {
  describe(`the shelf of ${name}`, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    let blobs: BlobStore;
    let shelf: Shelf;
    beforeAll(async () => {
      opened = await open();
      blobs = openBlobs(opened.address);
      shelf = openShelf(opened.address);
    });
    afterAll(async () => {
      await blobs.close();
      await shelf.close();
      await opened.close();
    });
    const text = async (sha256: string) => (await blobs.get(sha256)).toString();

    it('keeps what is set aside readable until it is destroyed, and then it is gone', async () => {
      const { sha256 } = await blobs.put(Buffer.from('read from aside'));
      expect(await shelf.setAside(sha256)).toBe(true);
      expect(await text(sha256)).toBe('read from aside');
      expect(await shelf.setAside(sha256)).toBe(true);
      expect(await shelf.destroy(sha256)).toBe(true);
      await expect(blobs.get(sha256)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('gives back what is taken back: nothing is left to be destroyed', async () => {
      const { sha256 } = await blobs.put(Buffer.from('taken back'));
      await shelf.setAside(sha256);
      await shelf.takeBack(sha256);
      await shelf.takeBack(sha256);
      expect(await shelf.destroy(sha256)).toBe(false);
      expect(await text(sha256)).toBe('taken back');
    });

    it('never destroys what was put again while it was aside', async () => {
      const { sha256 } = await blobs.put(Buffer.from('put again'));
      await shelf.setAside(sha256);
      await blobs.put(Buffer.from('put again'));
      expect(await shelf.destroy(sha256)).toBe(true);
      expect(await text(sha256)).toBe('put again');
    });

    it('says where there is nothing to set aside or to destroy', async () => {
      expect(await shelf.setAside('0'.repeat(64))).toBe(false);
      expect(await shelf.destroy('0'.repeat(64))).toBe(false);
    });

    it('is read at every moment of its way aside and back', async () => {
      const { sha256 } = await blobs.put(Buffer.from('always there'));
      for (let i = 0; i < 40; i += 1) {
        const reads = Array.from({ length: 4 }, () => text(sha256));
        await Promise.all([i % 2 === 0 ? shelf.setAside(sha256) : shelf.takeBack(sha256), ...reads]);
        expect(new Set(await Promise.all(reads))).toEqual(new Set(['always there']));
      }
    });

    it('knows nothing of what another owner keeps in the part that is his', async () => {
      const theirs = openBlobs(partOf(opened.address, 'theirs'));
      const bytes = Buffer.from('the same bytes of two owners');
      const { sha256 } = await theirs.put(bytes);
      expect(await shelf.setAside(sha256)).toBe(false);
      await blobs.put(bytes);
      await shelf.setAside(sha256);
      await shelf.destroy(sha256);
      expect(await theirs.get(sha256)).toEqual(bytes);
      await theirs.close();
    });
  });
}

shelfContract('a folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-shelf-'));
  return { address: pathToFileURL(folder).href, close: async () => undefined };
});

shelfContract('an S3 bucket', async () => {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'test';
  const server = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  server.createBucket('pages');
  const endpoint = encodeURIComponent(`http://127.0.0.1:${server.port}`);
  return { address: `s3://pages/kept?endpoint=${endpoint}`, close: () => server.stop() };
});
