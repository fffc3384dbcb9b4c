import { describe, expect, it } from '@jest/globals';
import { repeatedBlocksOf } from './repeated-blocks.ts';

const page = (...keys: number[]): Buffer => {
  const buffer = Buffer.alloc(keys.length * 4);
  for (const [at, key] of keys.entries()) buffer.writeUInt32LE(key, at * 4);
  return buffer;
};
const keysIn = (blocks: Buffer | undefined): number[] | undefined =>
  blocks && Array.from({ length: blocks.length / 4 }, (_, at) => blocks.readUInt32LE(at * 4));

describe('repeatedBlocksOf', () => {
  it('returns the blocks of at least three pages and three in ten, the most frequent first', () => {
    const pages = Array.from({ length: 10 }, (_, at) =>
      page(100 + at, 7, ...(at < 3 ? [8] : []), ...(at < 2 ? [9] : [])),
    );
    expect(keysIn(repeatedBlocksOf(pages))).toEqual([7, 8]);
  });

  it('returns nothing for fewer than five different pages', () => {
    expect(repeatedBlocksOf([1, 2, 3, 4].map((at) => page(at, 7)))).toBeUndefined();
    expect(repeatedBlocksOf(Array.from({ length: 20 }, () => page(1, 7)))).toBeUndefined();
  });

  it('counts a page once that has several URLs, and a block once per page', () => {
    const pages = [
      ...Array.from({ length: 9 }, () => page(1, 5)),
      ...[11, 12, 13, 14, 15].map((at) => page(at, at, at)),
    ];
    expect(keysIn(repeatedBlocksOf(pages))).toEqual([]);
  });

  it('is bounded, and the same for the same pages in another order', () => {
    const many = Array.from({ length: 600 }, (_, at) => at + 1);
    const pages = [...'123456'].map((at) => page(1_000 + Number(at), ...many));
    const blocks = repeatedBlocksOf(pages);
    expect(blocks).toHaveLength(256 * 4);
    expect(repeatedBlocksOf(pages.toReversed())).toEqual(blocks);
  });
});
