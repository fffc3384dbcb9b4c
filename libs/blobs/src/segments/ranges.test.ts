import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { rangesOf } from './ranges.ts';

const location = fc.record({
  segment: fc.constantFrom('a', 'b'),
  at: fc.nat(4_000_000),
  span: fc.integer({ min: 1, max: 2_000_000 }),
});

describe('rangesOf', () => {
  test('joins entries that follow each other, and separates segments and distant entries', () => {
    const entries = [
      { segment: 'a', at: 1_000, span: 500 },
      { segment: 'a', at: 16, span: 984 },
      { segment: 'b', at: 16, span: 100 },
      { segment: 'a', at: 900_000, span: 100 },
    ];
    expect(rangesOf(entries, (entry) => entry)).toEqual([
      { segment: 'a', at: 16, span: 1_484, items: [entries[1], entries[0]] },
      { segment: 'a', at: 900_000, span: 100, items: [entries[3]] },
      { segment: 'b', at: 16, span: 100, items: [entries[2]] },
    ]);
  });

  test('covers every entry with exactly one range of its segment, of at most 1 MiB or the span of its largest entry', () => {
    fc.assert(
      fc.property(fc.array(location), (entries) => {
        const ranges = rangesOf(entries, (entry) => entry);
        expect(ranges.flatMap(({ items }) => items)).toHaveLength(entries.length);
        for (const { segment, at, span, items } of ranges) {
          for (const item of items) {
            expect(item.segment).toBe(segment);
            expect(item.at).toBeGreaterThanOrEqual(at);
            expect(item.at + item.span).toBeLessThanOrEqual(at + span);
          }
          expect(span).toBeLessThanOrEqual(Math.max(1024 * 1024, ...items.map((item) => item.span)));
        }
      }),
    );
  });
});
