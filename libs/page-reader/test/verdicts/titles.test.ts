import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { generatePage } from './generated-pages.ts';
import { verdictOfPage } from './page-verdict.ts';

/** `npm run eval -- verdict` classifies 5,000. */
const PAGES = 1_500;

const refusalOf = (seed: number): object | undefined => {
  const { title, kind, words, html } = generatePage(seed);
  const { verdict, errorCode, signals } = verdictOfPage(html);
  return verdict === 'blocked' ? { seed, title, kind, words, errorCode, signals } : undefined;
};

describe('a good page of 20 to 300 words', () => {
  it('is kept under every title of the words and numbers of refusals', () => {
    const refused = Array.from({ length: PAGES }, (_, at) => refusalOf(at + 1)).filter((page) => page !== undefined);
    expect(refused).toEqual([]);
  });

  it('is kept for seeds that no rule was measured on', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10_000, max: 2_000_000_000 }), (seed) => refusalOf(seed) === undefined),
      {
        numRuns: 200,
      },
    );
  });
});
