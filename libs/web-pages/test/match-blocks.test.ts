import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { matchBlocks } from '../browser/compared-page/match-blocks.ts';

describe('the places of blocks in a shown page', () => {
  it('are those of the equal segments, in order', () => {
    expect(matchBlocks(['a', 'b', 'c'], ['x', 'a', 'y', 'b', 'c'])).toEqual([1, 3, 4]);
  });

  it('leave out blocks that the page does not show, such as navigation around stored text', () => {
    expect(matchBlocks(['Home', 'About', 'Title', 'Text', 'Imprint'], ['Title', 'Text'])).toEqual([-1, -1, 0, 1, -1]);
  });

  it('are not moved by a short text that occurs again further down', () => {
    const blocks = ['Home', 'Title', 'One', 'Two', 'Home'];
    expect(matchBlocks(blocks, ['Title', 'One', 'Two', 'Home'])).toEqual([-1, 0, 1, 2, 3]);
  });

  it('pair repeated texts between the texts around them', () => {
    expect(matchBlocks(['Buy', 'Lamp', 'Buy', 'Chair', 'Buy'], ['Lamp', 'Buy', 'Chair', 'Buy'])).toEqual([
      -1, 0, 1, 2, 3,
    ]);
  });

  it('are equal texts in increasing order, each used once', () => {
    const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', ''), { maxLength: 20 });
    fc.assert(
      fc.property(keys, keys, (blocks, segments) => {
        const matches = matchBlocks(blocks, segments);
        const found = matches.filter((at) => at !== -1);
        expect(found).toEqual([...new Set(found)].sort((one, other) => one - other));
        for (const [at, match] of matches.entries()) if (match !== -1) expect(segments[match]).toBe(blocks[at]);
      }),
    );
  });

  it('are found in a page of 20,000 blocks within a second', () => {
    const many = Array.from({ length: 20_000 }, (_, at) => `block ${at % 7_000}`);
    const startedAt = performance.now();
    expect(matchBlocks(many, many.slice(10)).at(-1)).toBe(many.length - 11);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
