import { describe, expect, it } from '@jest/globals';
import type { CaptureOptions as WireOptions } from '@tidemark/contracts/scrape/v1/scrape';
import { captureOptions } from '@tidemark/testkit';
import { toCaptureOptions } from './capture-options.ts';
import { creditsToLease, nextRung, type Rung, rungsFor } from './ladder.ts';

const options = (more: Partial<WireOptions>) => toCaptureOptions(captureOptions(more));

const ladder: Rung[] = [
  { tier: 'http', credits: 1 },
  { tier: 'browser', credits: 5 },
];

describe('the ladder', () => {
  it('tries http first and the browser only where it may', () => {
    expect(rungsFor(ladder, options({ renderJs: 'auto', maxTier: 'browser' })).map((r) => r.tier)).toEqual([
      'http',
      'browser',
    ]);
    expect(rungsFor(ladder, options({ renderJs: 'auto', maxTier: 'http' })).map((r) => r.tier)).toEqual(['http']);
    expect(rungsFor(ladder, options({ renderJs: 'never', maxTier: 'browser' })).map((r) => r.tier)).toEqual(['http']);
    expect(rungsFor(ladder, options({ renderJs: 'always', maxTier: 'browser' })).map((r) => r.tier)).toEqual([
      'browser',
    ]);
  });

  it('leases for the dearest engine the page may reach, and no more than its cap', () => {
    const rungs = rungsFor(ladder, options({ renderJs: 'auto', maxTier: 'browser' }));
    expect(creditsToLease(rungs, undefined)).toEqual({ want: 5, least: 1 });
    expect(creditsToLease(rungs, 4)).toEqual({ want: 1, least: 1 });
  });

  it('says whether it was the tier or the budget that stopped a page', () => {
    const http = rungsFor(ladder, options({ renderJs: 'auto', maxTier: 'http' }));
    expect(nextRung(ladder, http, 1, 100)).toEqual({ halt: 'TIER_LIMIT' });
    expect(nextRung(ladder, ladder, 1, 4)).toEqual({ halt: 'BUDGET_EXHAUSTED' });
    expect(nextRung(ladder, ladder, 1, 5)).toEqual({ rung: ladder[1] });
    expect(nextRung(ladder, ladder, 2, 5)).toEqual({ halt: undefined });
  });
});
