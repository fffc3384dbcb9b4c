import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { scaleOf, shareOf } from './scale.ts';

describe('the scale of a chart', () => {
  it('has round lines from 0 for counts', () => {
    expect(scaleOf([0, 3, 16], { from: 'zero' }).ticks).toEqual([0, 5, 10, 15, 20]);
    expect(scaleOf([702], { from: 'zero' }).ticks).toEqual([0, 200, 400, 600, 800]);
  });

  it('has whole lines for few counts', () => {
    expect(scaleOf([0, 1], { from: 'zero' }).ticks).toEqual([0, 1]);
    expect(scaleOf([], { from: 'zero' }).ticks).toEqual([0, 1]);
  });

  it('starts near the lowest price, and has lines around a single one', () => {
    expect(scaleOf([49, 65], { from: 'lowest' }).ticks).toEqual([45, 50, 55, 60, 65]);
    const { ticks } = scaleOf([12], { from: 'lowest' });
    expect(ticks[0]).toBeLessThan(12);
    expect(ticks.at(-1)).toBeGreaterThan(12);
  });

  it('contains every value', () => {
    const values = fc.array(
      fc.integer({ min: -1e9, max: 1e9 }).map((value) => value / 100),
      { minLength: 1, maxLength: 20 },
    );
    fc.assert(
      fc.property(values, (some) => {
        const scale = scaleOf(some, { from: 'lowest' });
        for (const value of some) {
          expect(shareOf(scale, value)).toBeGreaterThanOrEqual(-1e-6);
          expect(shareOf(scale, value)).toBeLessThanOrEqual(1 + 1e-6);
        }
        expect(scale.ticks.length).toBeGreaterThanOrEqual(2);
        expect(scale.ticks.length).toBeLessThan(12);
      }),
    );
  });
});
