import { describe, expect, it } from '@jest/globals';
import { inFlightBounds, isSupplied } from './in-flight-bounds.ts';

describe('inFlightBounds', () => {
  it.each([
    { concurrency: 1, perHost: 32 },
    { concurrency: 10, perHost: 60 },
    { concurrency: 100, perHost: 400 },
  ])(
    'allows 400 pages of a run without a delay, and $perHost of a host with $concurrency concurrent fetches',
    ({ concurrency, perHost }) => {
      expect(inFlightBounds({ concurrency, delayMs: 0 })).toEqual({ perHost, perRun: 400 });
    },
  );

  it.each([
    { delayMs: 50, perHost: 32 },
    { delayMs: 1_000, perHost: 4 },
    { delayMs: 5_000, perHost: 2 },
    { delayMs: 60_000, perHost: 2 },
  ])('allows $perHost pages of a host with a delay of $delayMs ms', ({ delayMs, perHost }) => {
    expect(inFlightBounds({ concurrency: 1, delayMs })).toEqual({ perHost, perRun: 2_400 });
  });

  it('keeps enough pages in flight for a thousand hosts with a request each five seconds', () => {
    const { perHost, perRun } = inFlightBounds({ concurrency: 2, delayMs: 5_000 });
    expect(perRun).toBeGreaterThanOrEqual(1_000 * perHost);
  });
});

describe('isSupplied', () => {
  it.each([
    { concurrency: 10, delayMs: 0, few: 29, enough: 30 },
    { concurrency: 50, delayMs: 0, few: 149, enough: 150 },
    { concurrency: 1, delayMs: 5_000, few: 0, enough: 1 },
  ])(
    'lets the next claim wait with $enough pages in flight, and not with $few, at $concurrency concurrent fetches and a delay of $delayMs ms',
    ({ concurrency, delayMs, few, enough }) => {
      const bounds = inFlightBounds({ concurrency, delayMs });
      expect(isSupplied(bounds, few)).toBe(false);
      expect(isSupplied(bounds, enough)).toBe(true);
    },
  );
});
