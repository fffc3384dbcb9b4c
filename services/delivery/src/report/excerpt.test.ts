import { describe, expect, it } from '@jest/globals';
import { BlockEntry } from '@tidemark/contracts/diff/v1/diff';
import { excerptOf } from './excerpt.ts';

const edited = (...words: (readonly [op: string, text: string])[]) => ({
  blocks: [BlockEntry.fromPartial({ op: 'edited', words: words.map(([op, text]) => ({ op, text })) })],
});

describe('an excerpt of an edit', () => {
  it.each([
    [
      [
        ['=', 'Back within '],
        ['-', '30'],
        ['+', '14'],
        ['=', ' days.'],
      ],
      'Back within [30 → 14] days.',
    ],
    [
      [
        ['+', 'New: '],
        ['=', 'lamps'],
      ],
      '[+ New:]lamps',
    ],
    [
      [
        ['=', 'lamps'],
        ['-', ' and more'],
      ],
      'lamps[− and more]',
    ],
    [
      [
        ['-', 'a'],
        ['+', 'b'],
        ['=', ' and '],
        ['-', 'c'],
        ['+', 'd'],
      ],
      '[a → b] and [c → d]',
    ],
  ] as const)('shows added and removed words in place', (words, excerpt) => {
    expect(excerptOf(edited(...words))).toBe(excerpt);
  });

  it('shows a block that was added or removed whole', () => {
    const block = (more: Partial<BlockEntry>) => ({
      blocks: [{ ...BlockEntry.fromPartial({ op: 'edited' }), ...more }],
    });
    expect(excerptOf(block({ op: 'added', after: 'A lamp.' }))).toBe('[+ A lamp.]');
    expect(excerptOf(block({ op: 'removed', before: 'A lantern.' }))).toBe('[− A lantern.]');
  });

  it('leaves out moved and volatile blocks', () => {
    const block = BlockEntry.fromPartial({ op: 'edited', after: 'x' });
    expect(
      excerptOf({
        blocks: [
          { ...block, op: 'moved' },
          { ...block, volatile: true },
        ],
      }),
    ).toBe('');
  });

  it('keeps a little of the surrounding text, and is bounded', () => {
    const long = 'word '.repeat(10_000);
    const excerpt = excerptOf(edited(['=', long], ['-', '30'], ['+', '14'], ['=', long]));
    expect(excerpt).toMatch(/^…(word )+\[30 → 14\]word /);
    expect(excerptOf(edited(['-', long], ['+', long])).length).toBeLessThanOrEqual(200);
  });
});
