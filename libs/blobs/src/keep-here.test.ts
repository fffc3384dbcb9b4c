import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { blobFile } from './blob-file.ts';
import { keepHere } from './keep-here.ts';
import { openBlobs } from './open-blobs.ts';
import { packBlob } from './pack-blob.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-keep-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const address = () => pathToFileURL(folder).href;
const keeper = () => {
  const keep = keepHere(address());
  if (keep === undefined) throw new Error('a folder is kept in');
  return keep;
};

describe('a blob kept by the thread that has it', () => {
  it.each([0, 1, 60_000, 5_000_000])('of %d bytes is the blob the store reads', async (length) => {
    const bytes = Buffer.alloc(length, 'tide ');
    const packed = packBlob(bytes);
    keeper()(packed);
    expect((await openBlobs(address()).get(packed.sha256)).equals(bytes)).toBe(true);
  });

  it('has the name the store would give it', async () => {
    const bytes = Buffer.from('the same page');
    expect(await openBlobs(address()).put(bytes)).toEqual({ sha256: packBlob(bytes).sha256, bytes: bytes.length });
  });

  it('is written once, and leaves nothing half-written behind', () => {
    const packed = packBlob(Buffer.from('once'));
    keeper()(packed);
    const file = blobFile(folder, packed.sha256);
    const { ino } = statSync(file);
    keeper()(packed);
    expect(statSync(file).ino).toBe(ino);
    expect(readdirSync(join(file, '..')).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  it('throws where the disk refuses', () => {
    const keep = keepHere('file:///dev/null/nowhere');
    expect(() => keep?.(packBlob(Buffer.from('lost')))).toThrow();
  });

  it('is left to others where the store is a bucket', () => {
    expect(keepHere('s3://pages/kept')).toBeUndefined();
  });
});
