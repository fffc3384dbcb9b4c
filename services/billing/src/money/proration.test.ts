import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type NewPrice, type PaidPeriod, prorate } from './proration.ts';

const DAY_MS = 86_400_000;
const period = (overrides: Partial<PaidPeriod> = {}): PaidPeriod => {
  const { priceMinor = 190_000n } = overrides;
  return { startMs: 0, endMs: 30 * DAY_MS, priceMinor, paidMinor: priceMinor, allowance: 20_000, ...overrides };
};
const growth: NewPrice = { priceMinor: 790_000n, allowance: 100_000, restartsPeriod: false };

describe('prorate', () => {
  it('charges half of the difference in the middle of a period, and adds half of the credits', () => {
    expect(prorate(period(), growth, 15 * DAY_MS)).toEqual({
      creditMinor: 95_000n,
      chargeMinor: 395_000n,
      dueMinor: 300_000n,
      allowanceAdded: 40_000,
    });
  });

  it('adds the same credits in a preview and in a payment some minutes later', () => {
    const [preview, paid] = [1_000, 20 * 60_000].map((nowMs) => prorate(period(), growth, nowMs).allowanceAdded);
    expect([preview, paid]).toEqual([80_000, 80_000]);
  });

  it('charges a full period from now on when a month becomes a year', () => {
    const year: NewPrice = { priceMinor: 1_900_000n, allowance: 20_000, restartsPeriod: true };
    expect(prorate(period(), year, 9.5 * DAY_MS)).toEqual({
      creditMinor: 129_833n,
      chargeMinor: 1_900_000n,
      dueMinor: 1_770_167n,
      allowanceAdded: 0,
    });
  });

  it('charges two upgrades in one period for the time that each plan is used', () => {
    const scale: NewPrice = { priceMinor: 1_990_000n, allowance: 500_000, restartsPeriod: false };
    const first = prorate(period(), growth, 10 * DAY_MS);
    const second = prorate(period({ priceMinor: 790_000n, allowance: 100_000 }), scale, 20 * DAY_MS);
    expect([first.dueMinor, second.dueMinor]).toEqual([400_000n, 400_000n]);
  });

  it('never credits more than was paid for the period', () => {
    expect(prorate(period({ paidMinor: 50_000n }), growth, 0).creditMinor).toBe(50_000n);
  });

  it('is never negative, and never above the new price', () => {
    fc.assert(
      fc.property(
        prices,
        prices,
        fc.integer({ min: -DAY_MS, max: 400 * DAY_MS }),
        fc.boolean(),
        (old, next, nowMs, restartsPeriod) => {
          const { creditMinor, chargeMinor, dueMinor, allowanceAdded } = prorate(
            period({ priceMinor: BigInt(old) }),
            { priceMinor: BigInt(next), allowance: next, restartsPeriod },
            nowMs,
          );
          for (const amount of [creditMinor, chargeMinor, dueMinor]) expect(amount).toBeGreaterThanOrEqual(0n);
          expect(chargeMinor).toBeLessThanOrEqual(BigInt(next));
          expect(creditMinor).toBeLessThanOrEqual(BigInt(old));
          expect(allowanceAdded).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });

  it('charges chains of three plans within two minor units of the exact price of each day', () => {
    fc.assert(
      fc.property(
        fc.array(prices, { minLength: 3, maxLength: 3 }),
        fc.array(fc.nat(30 * 86_400), { minLength: 2, maxLength: 2 }),
        (unsorted, seconds) => {
          const [a = 0, b = 0, c = 0] = unsorted.sort((x, y) => x - y);
          const [first = 0, second = 0] = seconds.sort((x, y) => x - y);
          const price = (priceMinor: number): NewPrice => ({
            priceMinor: BigInt(priceMinor),
            allowance: 0,
            restartsPeriod: false,
          });
          const charged =
            BigInt(a) +
            prorate(period({ priceMinor: BigInt(a) }), price(b), first * 1_000).dueMinor +
            prorate(period({ priceMinor: BigInt(b) }), price(c), second * 1_000).dueMinor;
          const total = 30 * 86_400;
          const exact = (a * first + b * (second - first) + c * (total - second)) / total;
          expect(Math.abs(Number(charged) - exact)).toBeLessThanOrEqual(2);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

const prices = fc.integer({ min: 1, max: 100_000_000 });
