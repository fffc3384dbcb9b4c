import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type BlobStore, openBlobs, packBlob } from '@tidemark/blobs';
import { pageRow } from '@tidemark/testkit';
import { storeBodies } from './store-bodies.ts';

let folder: string;
let blobs: BlobStore;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tidemark-finish-'));
  blobs = openBlobs(pathToFileURL(folder).href);
});
afterAll(() => rmSync(folder, { recursive: true }));

const row = pageRow({ id: 'cap_1' });

describe('the bodies of a captured page', () => {
  it('that came packed from their thread are kept under the name they came with', async () => {
    const packed = packBlob(Buffer.from('bodies of a page'));
    const { content } = await storeBodies(blobs, { row, bodies: new Uint8Array(), kept: packed });
    expect(content).toEqual({ sha256: packed.sha256, bytes: packed.bytes });
    expect((await blobs.get(packed.sha256)).toString()).toBe('bodies of a page');
  });

  it('that are kept already are only named', async () => {
    const kept = { sha256: 'a'.repeat(64), bytes: 3 };
    expect(await storeBodies(blobs, { row, bodies: Buffer.from('abc'), kept })).toMatchObject({ content: kept });
    await expect(blobs.get(kept.sha256)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('stores bodies that are not stored yet, and no content without bodies', async () => {
    const { content } = await storeBodies(blobs, { row, bodies: Buffer.from('a refusal') });
    expect((await blobs.get(content?.sha256 ?? '')).toString()).toBe('a refusal');
    expect((await storeBodies(blobs, { row, bodies: undefined })).content).toBeUndefined();
  });
});
