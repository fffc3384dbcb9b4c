import { describe, expect, it } from '@jest/globals';
import { creditsLeft } from './credits-left.ts';

const CREDITS = {
  remaining: 90_000,
  reserved: 0,
  allowance: 80_000,
  allowanceLeft: 9_000,
  welcomeLeft: 500,
  purchasedLeft: 500,
  overageUsed: 0,
  overageRoom: 80_000,
  periodStart: null,
  resetsAt: null,
};

describe('the credits that are left', () => {
  it('do not include those that would be billed', () => {
    expect(creditsLeft(CREDITS)).toEqual({ own: 10_000, billable: 80_000 });
    expect(creditsLeft({ ...CREDITS, overageRoom: 0, remaining: 10_000 })).toEqual({ own: 10_000, billable: 0 });
    expect(creditsLeft({ ...CREDITS, overageUsed: 79_000, remaining: 11_000 })).toEqual({
      own: 10_000,
      billable: 1_000,
    });
  });

  it('are at most what may be spent: a cap of a sub-account limits them', () => {
    expect(creditsLeft({ ...CREDITS, remaining: 300 })).toEqual({ own: 300, billable: 0 });
  });

  it('are without a limit where the plan has none', () => {
    expect(creditsLeft({ ...CREDITS, remaining: null })).toEqual({ own: null, billable: 0 });
  });
});
