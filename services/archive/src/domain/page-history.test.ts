import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pageHistoryOf, type Reading } from './page-history.ts';

const DAY_MS = 86_400_000;
const at = (day: number): Date => new Date(Date.UTC(2026, 0, 1) + day * DAY_MS);

const reading = (day: number, text: string | undefined, more: Partial<Reading> = {}): Reading => ({
  runId: `run_${day}`,
  pageId: `cap_${String(day).padStart(4, '0')}`,
  crawledAt: at(day),
  verdict: 'ok',
  words: 10,
  language: 'en',
  hasHtml: false,
  text,
  deleted: undefined,
  isNew: false,
  ...more,
});

/** Returns the first and last day of each version. */
const daysOf = (readings: readonly Reading[]) =>
  pageHistoryOf(readings).versions.map(({ first, last }) => [first.runId, last.runId]);

describe('the history of a page', () => {
  it('has one version for each interval of equal text, and names the earlier one with the same text', () => {
    const readings = ['a', 'a', 'b', 'a'].map((text, day) => reading(day, text));
    const { versions } = pageHistoryOf(readings);
    expect(daysOf(readings)).toEqual([
      ['run_0', 'run_1'],
      ['run_2', 'run_2'],
      ['run_3', 'run_3'],
    ]);
    expect(versions.map(({ sameAs }) => sameAs?.runId)).toEqual([undefined, undefined, 'run_0']);
    expect(versions.map(({ replaced }) => replaced?.runId)).toEqual([undefined, 'run_1', 'run_2']);
    expect(versions.map(({ readings: count }) => count)).toEqual([2, 1, 1]);
  });

  it('continues a version over a reading without a body, and over readings that failed', () => {
    const readings = [
      reading(0, 'a'),
      reading(1, undefined),
      reading(2, 'login', { verdict: 'robots' }),
      reading(3, undefined, { verdict: 'blocked' }),
      reading(4, 'a'),
    ];
    expect(daysOf(readings)).toEqual([['run_0', 'run_4']]);
    expect(pageHistoryOf(readings).unread).toEqual([{ from: at(2), to: at(3), verdict: 'robots', readings: 2 }]);
  });

  it('begins where deleted readings with the same text began', () => {
    const { versions } = pageHistoryOf([reading(9, 'a', { deleted: { since: at(2), readings: 3 } }), reading(10, 'a')]);
    expect(versions).toMatchObject([{ since: at(2), readings: 5 }]);
  });

  it('does not join two readings between which a reading with another text was deleted', () => {
    const readings = [reading(1, 'a'), reading(3, 'a', { isNew: true })];
    expect(pageHistoryOf(readings).versions).toMatchObject([
      { sameAs: undefined },
      { sameAs: { runId: 'run_1' }, replaced: { runId: 'run_1' } },
    ]);
  });

  it('contains every good reading in exactly one version, and neighbours differ', () => {
    const anyReadings = fc.array(
      fc.record({
        text: fc.constantFrom('a', 'b', 'c', undefined),
        verdict: fc.constantFrom('ok', 'thin', 'blocked', 'robots') as fc.Arbitrary<Reading['verdict']>,
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(anyReadings, (made) => {
        const readings = made.map(({ text, verdict }, day) => reading(day, text, { verdict }));
        const { versions, unread } = pageHistoryOf(readings);
        const good = readings.filter(({ verdict }) => verdict === 'ok' || verdict === 'thin');
        expect(versions.reduce((sum, version) => sum + version.readings, 0)).toBe(good.length);
        expect(unread.reduce((sum, interval) => sum + interval.readings, 0)).toBe(readings.length - good.length);
        for (const [index, { first, last }] of versions.entries()) {
          expect(first.crawledAt.getTime()).toBeLessThanOrEqual(last.crawledAt.getTime());
          const next = versions[index + 1];
          if (next !== undefined) expect(next.first.text).not.toBe(first.text);
        }
      }),
    );
  });
});
