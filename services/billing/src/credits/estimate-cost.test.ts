import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { overageMinor, splitCredits } from './estimate-cost.ts';

const account = {
  allowance: 20_000,
  allowanceLeft: 5_000,
  welcomeLeft: 1_000,
  purchasedLeft: 2_000,

  overageUsed: 0,
  overageRoom: 20_000 as number | undefined,
  reserved: 0,
};

describe('splitCredits', () => {
  it('takes the allowance, then welcome and purchased credits, then overage up to its cap, and names what is not covered', () => {
    expect(splitCredits(account, 4_000)).toEqual({
      allowance: 4_000,
      welcome: 0,
      purchased: 0,
      overage: 0,
      uncovered: 0,
    });
    expect(splitCredits(account, 30_000)).toEqual({
      allowance: 5_000,
      welcome: 1_000,
      purchased: 2_000,
      overage: 20_000,
      uncovered: 2_000,
    });
    expect(splitCredits({ ...account, overageUsed: 19_999 }, 8_005)).toMatchObject({ overage: 1, uncovered: 4 });
    expect(splitCredits({ ...account, overageRoom: undefined }, 108_000)).toMatchObject({
      overage: 100_000,
      uncovered: 0,
    });
  });

  it('leaves the credits that are reserved for work in progress to that work', () => {
    expect(splitCredits({ ...account, reserved: 5_500 }, 1_000)).toEqual({
      allowance: 0,
      welcome: 500,
      purchased: 500,
      overage: 0,
      uncovered: 0,
    });
  });

  it('takes nothing on a plan without a credit limit', () => {
    expect(splitCredits({ ...account, allowance: undefined }, 1_000_000)).toEqual({
      allowance: 0,
      welcome: 0,
      purchased: 0,
      overage: 0,
      uncovered: 0,
    });
  });

  it('covers at most the credits that may still be leased, and its parts add up', () => {
    const amount = fc.nat(1_000);
    fc.assert(
      fc.property(
        fc.record({
          allowanceLeft: amount,
          welcomeLeft: amount,
          overageUsed: amount,
          overageRoom: amount,
          reserved: amount,
          purchasedLeft: fc.integer({ min: -500, max: 1_000 }),
        }),
        amount,
        (buckets, credits) => {
          const split = splitCredits({ allowance: 1_000, ...buckets }, credits);
          const covered = split.allowance + split.welcome + split.purchased + split.overage;
          expect(covered + split.uncovered).toBe(credits);
          expect(Math.min(...Object.values(split))).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});

describe('overageMinor', () => {
  it('is the price of 1,000 credits in proportion, rounded half up to the minor unit', () => {
    expect([overageMinor(1_000, 9_900), overageMinor(1, 9_900), overageMinor(5, 100), overageMinor(4, 100)]).toEqual([
      9_900, 10, 1, 0,
    ]);
  });
});
