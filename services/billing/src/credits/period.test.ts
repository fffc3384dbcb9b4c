import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addMonths, periodAt } from './period.ts';

const iso = (date: Date) => date.toISOString().slice(0, 16);

describe('periodAt', () => {
  it('begins each month on the day of the anchor, and on the last day of a shorter month', () => {
    const anchor = new Date('2027-01-31T10:00:00Z');
    const starts = ['2027-02-15', '2027-03-01', '2027-03-31T11:00:00Z', '2027-05-30T23:00:00Z', '2028-02-29T10:00:00Z'];
    expect(starts.map((now) => iso(periodAt(anchor, new Date(now)).start))).toEqual([
      '2027-01-31T10:00',
      '2027-02-28T10:00',
      '2027-03-31T10:00',
      '2027-04-30T10:00',
      '2028-02-29T10:00',
    ]);
  });

  it('returns the first period for a time before the anchor', () => {
    const anchor = new Date('2027-05-10T00:00:00Z');
    expect(iso(periodAt(anchor, new Date('2027-05-09T23:50:00Z')).start)).toBe('2027-05-10T00:00');
  });

  it('covers every time with periods that follow each other without a gap', () => {
    const times = { min: new Date('2026-01-01T00:00:00Z'), max: new Date('2032-12-31T00:00:00Z'), noInvalidDate: true };
    fc.assert(
      fc.property(fc.date(times), fc.nat(60 * 24 * 3_600), (anchor, seconds) => {
        const now = new Date(anchor.getTime() + seconds * 1_000);
        const { start, end } = periodAt(anchor, now);
        expect(start.getTime()).toBeLessThanOrEqual(now.getTime());
        expect(end.getTime()).toBeGreaterThan(now.getTime());
        expect(periodAt(anchor, end).start).toEqual(end);
        expect(periodAt(anchor, new Date(end.getTime() - 1)).start).toEqual(start);
      }),
    );
  });
});

describe('addMonths', () => {
  it('keeps leap days and the time of the day', () => {
    expect(iso(addMonths(new Date('2028-02-29T23:59:00Z'), 12))).toBe('2029-02-28T23:59');
    expect(iso(addMonths(new Date('2026-12-31T00:00:00Z'), 2))).toBe('2027-02-28T00:00');
  });
});
