import { describe, expect, it } from '@jest/globals';
import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { pageOf, readingOf } from '../../test/sample-pages.ts';
import { bytesOf, countOf, StoredBlocks } from './stored-blocks.ts';

const page = pageOf(readingOf('The price is 129 euros.', 'Pay at once.').blocks, [{ name: 'title', value: 'Prices' }]);
const bytes = PageBlocks.encode(page).finish();

describe('blocks as they are stored', () => {
  it('say what they say decoded', () => {
    const { version, blocks, sections, anchors, head } = new StoredBlocks(bytes);
    expect({ version, blocks, sections, anchors, head }).toEqual(PageBlocks.decode(bytes));
  });

  it('are counted, and their places read, without decoding a block', () => {
    const stored = new StoredBlocks(bytes);
    expect(stored.count).toBe(2);
    expect(stored.anchors).toEqual(page.anchors);
  });

  it('are the same bytes and the same number, stored or not', () => {
    expect(Buffer.from(bytesOf(page))).toEqual(Buffer.from(bytesOf(new StoredBlocks(bytes))));
    expect(countOf(page)).toBe(countOf(new StoredBlocks(bytes)));
  });
});
