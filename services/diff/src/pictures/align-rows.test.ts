import { describe, expect, it } from '@jest/globals';
import { ADDED, alignRows, UNKNOWN } from './align-rows.ts';
import { drawPage, LINE, type Line, lineRange } from './fixtures/drawn-page.ts';
import { profileRows } from './row-profile.ts';

const page = (lines: readonly Line[]) => profileRows(drawPage(lines, 240));
const uncut = { isBeforeCut: false, isAfterCut: false };
const align = (before: readonly Line[], after: readonly Line[], edges = uncut) =>
  alignRows(page(before), page(after), edges);
const addedIn = ({ counterparts }: { counterparts: Int32Array }): number =>
  counterparts.filter((counterpart) => counterpart === ADDED).length;

describe('alignRows', () => {
  it('aligns rows one to one when nothing moved', () => {
    const { counterparts, removed } = align(lineRange(1, 10), lineRange(1, 10));
    expect([...counterparts]).toEqual(Array.from({ length: 10 * LINE }, (_, row) => row));
    expect(removed).toEqual([]);
  });

  it('aligns rows below an insertion and above a removal', () => {
    const after = [...lineRange(1, 8), 900, 901, ...lineRange(9, 20), ...lineRange(24, 40)];
    const { counterparts, removed } = align(lineRange(1, 40), after);
    expect(counterparts[2 * LINE]).toBe(2 * LINE);
    expect(counterparts[15 * LINE]).toBe(13 * LINE);
    expect(counterparts[30 * LINE]).toBe(31 * LINE);
    expect(addedIn({ counterparts })).toBe(2 * LINE);
    expect(removed.map(({ from, to }) => to - from)).toEqual([3 * LINE]);
  });

  it('never crosses: counterparts are increasing', () => {
    const swapped = [...lineRange(11, 20), ...lineRange(1, 10), ...lineRange(21, 30)];
    const { counterparts } = align(lineRange(1, 30), swapped);
    const joined = [...counterparts].filter((counterpart) => counterpart >= 0);
    expect(joined).toEqual([...joined].sort((a, b) => a - b));
    expect(new Set(joined).size).toBe(joined.length);
  });

  it('reports rows at the lower edge as added or removed when the page ends there and as unknown when the screenshot is cut', () => {
    const [short, long] = [lineRange(1, 10), lineRange(1, 13)];
    expect(addedIn(align(short, long))).toBe(3 * LINE);
    expect(align(long, short).removed).toEqual([{ at: 10 * LINE, from: 10 * LINE, to: 13 * LINE }]);
    const cutBefore = align(short, long, { isBeforeCut: true, isAfterCut: false });
    expect(cutBefore.counterparts.slice(10 * LINE)).toEqual(new Int32Array(3 * LINE).fill(UNKNOWN));
    expect(align(long, short, { isBeforeCut: false, isAfterCut: true }).removed).toEqual([]);
  });

  it('keeps equal list rows aligned with their neighbours', () => {
    const list: Line[] = Array.from({ length: 12 }, () => [7, 'blank'] as const).flat();
    const { counterparts } = align([1, 2, ...list, 3], [1, 2, 800, ...list, 3]);
    expect(addedIn({ counterparts })).toBe(LINE);
  });
});
