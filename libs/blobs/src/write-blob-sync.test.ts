import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { blobFile } from './blob-file.ts';
import { openBlobs } from './open-blobs.ts';
import { packBlob } from './pack-blob.ts';
import { makeSyncBlobWriter } from './write-blob-sync.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-write-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const address = () => pathToFileURL(folder).href;
const writer = () => {
  const write = makeSyncBlobWriter(address());
  if (write === undefined) throw new Error('expected a writer for a folder');
  return write;
};

describe('makeSyncBlobWriter', () => {
  it.each([0, 1, 60_000, 5_000_000])('writes a blob of %d bytes that the store can read', async (length) => {
    const bytes = Buffer.alloc(length, 'tide ');
    const packed = packBlob(bytes);
    writer()(packed);
    expect((await openBlobs(address()).get(packed.sha256)).equals(bytes)).toBe(true);
  });

  it('writes a blob under the name that the store gives it', async () => {
    const bytes = Buffer.from('the same page');
    expect(await openBlobs(address()).put(bytes)).toEqual({ sha256: packBlob(bytes).sha256, bytes: bytes.length });
  });

  it('writes a blob once and leaves no partial file behind', () => {
    const packed = packBlob(Buffer.from('once'));
    writer()(packed);
    const file = blobFile(folder, packed.sha256);
    const { ino } = statSync(file);
    writer()(packed);
    expect(statSync(file).ino).toBe(ino);
    expect(readdirSync(join(file, '..')).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  it('throws if the write fails', () => {
    const write = makeSyncBlobWriter('file:///dev/null/nowhere');
    expect(() => write?.(packBlob(Buffer.from('lost')))).toThrow();
  });

  it('returns undefined if the store is a bucket', () => {
    expect(makeSyncBlobWriter('s3://pages/kept')).toBeUndefined();
  });
});
