import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startFauxqs } from 'fauxqs';
import type { BlobStore } from './blob-store.ts';
import { openBlobs } from './open-blobs.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidemark-blobs-'));

/** Returns the names of every blob that a store lists. */
async function namesIn(blobs: BlobStore): Promise<string[]> {
  const names: string[] = [];
  for await (const name of blobs.list()) names.push(name);
  return names;
}

/** The contract of the blob store, run against every driver. */
function blobStoreContract(name: string, open: () => Promise<{ blobs: BlobStore; close: () => Promise<void> }>) {
  describe(`blob store in ${name}`, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    it.each([0, 1, 5_000, 300_000, 3_000_000])('returns the %d bytes that were stored', async (length) => {
      const bytes = randomBytes(length);
      const { sha256, bytes: stored } = await opened.blobs.put(bytes);
      expect(stored).toBe(length);
      expect((await opened.blobs.get(sha256)).equals(bytes)).toBe(true);
    });

    it('gives equal bytes the same name, also when they are stored concurrently', async () => {
      const names = await Promise.all(Array.from({ length: 20 }, () => opened.blobs.put(Buffer.from('the same page'))));
      expect(new Set(names.map((stored) => stored.sha256)).size).toBe(1);
    });

    it.each(['0'.repeat(64), '', '../../etc/passwd', 'A'.repeat(64)])('answers not_found for %j', async (sha256) => {
      await expect(opened.blobs.get(sha256)).rejects.toMatchObject({ code: 'not_found' });
    });

    it('lists every blob, and returns each as it is stored', async () => {
      const stored = await opened.blobs.put(Buffer.from('listed'));
      const names = await namesIn(opened.blobs);
      expect(names).toContain(stored.sha256);
      expect(new Set(names).size).toBe(names.length);
      const packed = await opened.blobs.getPacked(stored.sha256);
      expect(packed).toMatchObject(stored);
      expect(await opened.blobs.putPacked(packed)).toEqual(stored);
    });

    it('answers a ping', () => opened.blobs.ping());
  });
}

blobStoreContract('a folder', async () => {
  const blobs = openBlobs(pathToFileURL(folder).href);
  return { blobs, close: () => blobs.close() };
});

blobStoreContract('an S3 bucket', async () => {
  process.env['AWS_ACCESS_KEY_ID'] ??= 'test';
  process.env['AWS_SECRET_ACCESS_KEY'] ??= 'test';
  const server = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  server.createBucket('pages');
  const blobs = openBlobs(`s3://pages/kept?endpoint=${encodeURIComponent(`http://127.0.0.1:${server.port}`)}`);
  return {
    blobs,
    async close() {
      await blobs.close();
      await server.stop();
    },
  };
});

describe('blob store in a folder', () => {
  it('leaves no partial file behind and detects a damaged blob', async () => {
    const blobs = openBlobs(pathToFileURL(folder).href);
    const { sha256 } = await blobs.put(Buffer.from('whole'));
    const there = readdirSync(join(folder, sha256.slice(0, 2)));
    expect(there.filter((file) => file.endsWith('.partial'))).toEqual([]);
    const other = await blobs.put(Buffer.from('another'));
    const { readFileSync } = await import('node:fs');
    writeFileSync(
      join(folder, sha256.slice(0, 2), `${sha256}.zst`),
      readFileSync(join(folder, other.sha256.slice(0, 2), `${other.sha256}.zst`)),
    );
    await expect(blobs.get(sha256)).rejects.toMatchObject({ code: 'internal' });
  });
});

describe('openBlobs', () => {
  it('refuses an address that is neither a folder nor a bucket, and says what is expected', () => {
    expect(() => openBlobs('https://example.com/blobs')).toThrow(/file:\/\/ folder or an s3:\/\/ bucket/);
  });
});
