import { describe, expect, it } from '@jest/globals';
import { bucketsOf, estimateOverage, overagePrice, reachedStep } from './overage.ts';

const DAY_MS = 86_400_000;
const START = Date.parse('2026-11-01T00:00:00Z');
const credits = (more: object) => ({
  remaining: 0,
  reserved: 0,
  allowance: 20_000,
  allowanceLeft: 20_000,
  welcomeLeft: 0,
  purchasedLeft: 0,

  overageUsed: 0,
  overageRoom: 20_000,
  periodStart: new Date(START).toISOString(),
  resetsAt: new Date(START + 30 * DAY_MS).toISOString(),
  ...more,
});
const plan = {
  id: 'starter',
  name: 'Starter',
  prices: {},
  allowance: 20_000,
  overagePer1000: { INR: 12_000 },

  welcomeCredits: 0,
  rpm: 300,
  subAccounts: 3,
  features: [],
};

describe('the estimate of overage', () => {
  it('continues the use of the period to its end, after all credits that cost nothing more', () => {
    const half = credits({ allowanceLeft: 5_000, purchasedLeft: 1_000 });
    expect(estimateOverage(half, START + 15 * DAY_MS)).toEqual({ used: 0, expected: 9_000 });
    expect(overagePrice(plan, 9_000, 'INR')).toBe(108_000);
    expect(overagePrice(plan, 9_000, 'EUR')).toBeUndefined();
  });

  it('is limited by the cap, and never below what is used', () => {
    const over = credits({ allowanceLeft: 0, overageUsed: 4_000, overageRoom: 10_000 });
    expect(estimateOverage(over, START + 15 * DAY_MS)).toEqual({ used: 4_000, expected: 10_000 });
    expect(estimateOverage({ ...over, overageRoom: 2_000 }, START + 15 * DAY_MS)).toEqual({
      used: 4_000,
      expected: 4_000,
    });
  });

  it('is what is used in the first hour of a period and without a period', () => {
    const used = credits({ allowanceLeft: 19_000 });
    expect(estimateOverage(used, START + 60_000)).toEqual({ used: 0, expected: 0 });
    expect(estimateOverage({ ...used, periodStart: null, resetsAt: null }, START)).toEqual({ used: 0, expected: 0 });
  });
});

describe('the buckets of credits', () => {
  it('are what is left of each kind, and none on a plan without a limit', () => {
    const left = { allowanceLeft: 0, welcomeLeft: 0, purchasedLeft: 700 };
    expect(bucketsOf({ ...left, remaining: 700 })?.map(({ value }) => value)).toEqual([0, 0, 700]);
    expect(bucketsOf({ ...left, remaining: null })).toBeUndefined();
  });
});

describe('the steps of alerts', () => {
  it('are 50, 80 and 100 per cent of the allowance', () => {
    const steps = [20_000, 10_001, 10_000, 4_000, 0].map((allowanceLeft) =>
      reachedStep({ allowance: 20_000, allowanceLeft }),
    );
    expect(steps).toEqual([undefined, undefined, 0.5, 0.8, 1]);
    expect(reachedStep({ allowance: null, allowanceLeft: 0 })).toBeUndefined();
  });
});
