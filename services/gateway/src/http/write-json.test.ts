import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toJson } from './write-json.ts';

const LONG = `a "quoted" line\n😀é${'word '.repeat(120_000)}`;

describe('toJson', () => {
  it('writes what JSON.stringify writes, for small and for large values', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), async (small) => {
        const large = { data: [{ markdown: LONG, small, absent: undefined, links: [] }], small, none: null };
        for (const value of [small, large])
          expect(JSON.parse((await toJson(value)).toString())).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 40 },
    );
  });

  it('writes lists of many elements, dates and characters at the borders of its pieces unchanged', async () => {
    const value = {
      links: Array.from({ length: 12_345 }, (_, at) => ({
        url: `https://site.example/${at}`,
        text: `${at}`,
        kind: null,
      })),
      at: new Date(0),
      text: '😀'.repeat(400_001),
      shifted: `x${'😀'.repeat(400_001)}`,
    };
    expect((await toJson(value)).toString().length).toBeGreaterThan(1_000_000);
    expect(JSON.parse((await toJson(value)).toString())).toEqual(JSON.parse(JSON.stringify(value)));
  });

  it('gives the event loop turns while it writes a large response', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    await toJson({ data: [{ markdown: 'word '.repeat(2_000_000) }] });
    clearInterval(timer);
    expect(turns).toBeGreaterThan(5);
  });
});
