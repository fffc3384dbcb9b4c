import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readingOf } from '../../test/sample-pages.ts';
import { comparePages } from './compare-pages.ts';
import { type PagePart, wholePage } from './whole-page.ts';

const DEADLINE_MS = 60_000;

/** A part as `op text`, of an edited block its later text. */
const textOf = (part: PagePart): string => {
  if ('unchanged' in part) return `same ${part.unchanged.block.text}`;
  const { op, before, after } = part.change;
  return `${op} ${(after ?? before)?.text}`;
};
const partsOf = (before: readonly string[], after: readonly string[]): string[] => {
  const [old, now] = [readingOf(...before), readingOf(...after)];
  return wholePage(comparePages(old, now, { deadlineMs: DEADLINE_MS }), now).map(textOf);
};

describe('the whole page of a comparison', () => {
  it('lists unchanged blocks between the changes, and a removed block where it was', () => {
    const before = ['Opening hours', 'The office is open from nine to five', 'Closed on Sundays', 'Parking is free'];
    const after = ['Opening hours', 'The office is open from nine to six', 'Parking is free', 'Dogs are welcome here'];
    expect(partsOf(before, after)).toEqual([
      'same Opening hours',
      'edited The office is open from nine to six',
      'removed Closed on Sundays',
      'same Parking is free',
      'added Dogs are welcome here',
    ]);
  });

  it('lists every block of an added and of a removed page', () => {
    expect(partsOf([], ['one', 'two'])).toEqual(['added one', 'added two']);
    expect(partsOf(['one', 'two'], [])).toEqual(['removed one', 'removed two']);
  });

  it('contains each block of the later reading once, in order', () => {
    const text = fc.constantFrom(
      'alpha beta',
      'gamma',
      'delta epsilon',
      'zeta eta theta',
      'iota',
      'kappa 1',
      'kappa 2',
    );
    const page = fc.array(text, { maxLength: 12 });
    fc.assert(
      fc.property(page, page, (before, after) => {
        const later = partsOf(before, after).filter((part) => !part.startsWith('removed '));
        expect(later.map((part) => part.slice(part.indexOf(' ') + 1))).toEqual(after);
      }),
    );
  });
});
