import { type RowProfile, rowDistance } from './row-profile.ts';

/** Height of a searched strip, rows. */
const STRIP = 32;
/** Minimum contrast of a strip; blank strips match everywhere. */
const MIN_CONTRAST = 200;
/** A strip matches where the difference is below this share of its own contrast. */
const MAX_DIFFERENCE_SHARE = 0.25;
const MAX_SHIFTS = 24;

/**
 * Returns the vertical shifts of parts of the page (negative: up), most rows first, always including 0. Searches each
 * strip of the later picture in the earlier one, first at the shift of the previous strip, so that lists of equal rows
 * stay aligned.
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
  /** Shift of the previous strip. */
  readonly last: number;
  /** Maximum difference of a match. */
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
  let smallest = maxDifference;
  for (let from = 0; from + STRIP <= before.rows; from += 1) {
    const found = differenceAt(top - from, smallest);
    if (found < smallest) [best, smallest] = [top - from, found];
  }
  return best;
}
