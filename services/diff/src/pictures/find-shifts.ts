import { type RowProfile, rowDistance } from './row-profile.ts';

/** Rows that are looked for together. */
const STRIP = 32;
/** A strip that differs less than this from row to row is blank: it is found everywhere. */
const MIN_CONTRAST = 200;
/** A strip is found where it differs from what stands there by less than this share of what it differs from row to row. */
const MAX_DIFFERENCE_SHARE = 0.25;
const MAX_SHIFTS = 24;

/**
 * By how many rows parts of a page have moved down (up: less than 0), most rows first, 0 always among them. Each strip of the later picture is looked
 * for in the earlier: first where its neighbour above was found, so that lists of equal rows are not taken for one another.
 */
export function findShifts(before: RowProfile, after: RowProfile): readonly number[] {
  const votes = new Map<number, number>([[0, 1]]);
  let last = 0;
  for (let top = 0; top + STRIP <= after.rows; top += STRIP) {
    const maxDifference = contrastOf(after, top) * MAX_DIFFERENCE_SHARE;
    if (maxDifference < MIN_CONTRAST * MAX_DIFFERENCE_SHARE) continue;
    const shift = findStrip(before, after, { top, last, maxDifference });
    if (shift === undefined) continue;
    votes.set(shift, (votes.get(shift) ?? 0) + 1);
    last = shift;
  }
  const ranked = [...votes].sort(([a, votesA], [b, votesB]) => votesB - votesA || Math.abs(a) - Math.abs(b));
  const shifts = ranked.slice(0, MAX_SHIFTS).map(([shift]) => shift);
  return shifts.includes(0) ? shifts : [...shifts.slice(0, -1), 0];
}

function contrastOf(profile: RowProfile, top: number): number {
  let contrast = 0;
  for (let row = top + 1; row < top + STRIP; row += 1) contrast += rowDistance(profile, row - 1, profile, row);
  return contrast;
}

interface Strip {
  readonly top: number;
  /** Where the strip before it was found. */
  readonly last: number;
  /** How unlike it may be. */
  readonly maxDifference: number;
}

function findStrip(before: RowProfile, after: RowProfile, { top, last, maxDifference }: Strip): number | undefined {
  const differenceAt = (shift: number, maxDifference: number): number => {
    const from = top - shift;
    if (from < 0 || from + STRIP > before.rows) return Number.POSITIVE_INFINITY;
    let sum = 0;
    for (let row = 0; row < STRIP && sum < maxDifference; row += 1)
      sum += rowDistance(before, from + row, after, top + row);
    return sum;
  };
  for (const shift of [last, 0]) if (differenceAt(shift, maxDifference) < maxDifference) return shift;
  let best: number | undefined;
  let least = maxDifference;
  for (let from = 0; from + STRIP <= before.rows; from += 1) {
    const found = differenceAt(top - from, least);
    if (found < least) [best, least] = [top - from, found];
  }
  return best;
}
