import { describe, expect, it } from '@jest/globals';
import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { pageOf, readingOf } from '../../test/sample-pages.ts';
import { bytesOf, countOf, StoredBlocks } from './stored-blocks.ts';

const page = pageOf(readingOf('The price is 129 euros.', 'Pay at once.').blocks, [{ name: 'title', value: 'Prices' }]);
const bytes = PageBlocks.encode(page).finish();

describe('StoredBlocks', () => {
  it('exposes the same values as the decoded message', () => {
    const { version, blocks, sections, anchors, head } = new StoredBlocks(bytes);
    expect({ version, blocks, sections, anchors, head }).toEqual(PageBlocks.decode(bytes));
  });

  it('counts blocks and reads anchors without decoding blocks', () => {
    const stored = new StoredBlocks(bytes);
    expect(stored.count).toBe(2);
    expect(stored.anchors).toEqual(page.anchors);
  });

  it('has the same bytes and count as the decoded message', () => {
    expect(Buffer.from(bytesOf(page))).toEqual(Buffer.from(bytesOf(new StoredBlocks(bytes))));
    expect(countOf(page)).toBe(countOf(new StoredBlocks(bytes)));
  });
});
