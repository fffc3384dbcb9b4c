import { zstdCompressSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { packBlob } from './pack-blob.ts';
import { contentSize, unpackBlob } from './unpack-blob.ts';

const SIZES = [0, 1, 255, 256, 257, 5_000, 65_791, 65_792, 200_000, 1_200_000];

test.each(SIZES)('a packed body of %i bytes states its length and is unpacked to the same bytes', async (size) => {
  const body = Buffer.alloc(size, 'the tide rises over the harbour ');
  const { packed } = packBlob(body);
  if (packed.length >= 18) expect(contentSize(packed)).toBe(size);
  expect((await unpackBlob(packed)).equals(body)).toBe(true);
});

test('small unpacked bodies hold buffers of about their own size', async () => {
  const body = Buffer.from('the tide rises over the harbour '.repeat(600));
  const { packed } = packBlob(body);
  const before = process.memoryUsage().arrayBuffers;
  const unpacked: Buffer[] = [];
  for (let count = 0; count < 500; count += 1) unpacked.push(await unpackBlob(packed));
  const held = process.memoryUsage().arrayBuffers - before;
  expect(held).toBeLessThan(2 * body.length * unpacked.length);
});

test('a frame without a stated length is unpacked too', async () => {
  const body = Buffer.alloc(100_000, 'ab');
  expect((await unpackBlob(zstdCompressSync(body))).equals(body)).toBe(true);
});

test('bytes that are no zstd frame are refused', async () => {
  await expect(unpackBlob(Buffer.from('not a frame of zstd at all'))).rejects.toThrow();
});
