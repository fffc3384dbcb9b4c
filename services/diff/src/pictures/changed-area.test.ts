import { describe, expect, it } from '@jest/globals';
import { type Box, largestFirst, mergeNear, toArea } from './changed-area.ts';
import { clusterMarks } from './cluster-marks.ts';

const box = (left: number, top: number, right: number, bottom: number): Box => ({
  left,
  top,
  right,
  bottom,
  changed: 10,
  removedRows: 0,
});

describe('changed areas', () => {
  it('merges boxes within reach of each other, including chains', () => {
    expect(mergeNear([box(0, 0, 9, 9), box(40, 0, 49, 9), box(12, 0, 38, 9)], 4)).toEqual([
      { left: 0, top: 0, right: 49, bottom: 9, changed: 30, removedRows: 0 },
    ]);
    expect(mergeNear([box(0, 0, 9, 9), box(40, 0, 49, 9)], 4)).toHaveLength(2);
  });

  it('sorts by size and uses the removed rows for a removed band', () => {
    const removed: Box = { ...box(0, 50, 99, 50), removedRows: 30 };
    expect(largestFirst([box(0, 0, 9, 9), removed, box(0, 0, 49, 9)])).toEqual([
      removed,
      box(0, 0, 49, 9),
      box(0, 0, 9, 9),
    ]);
    expect(toArea(removed)).toEqual({ x: 0, y: 50, width: 100, height: 1, share: 0.1, removedHeight: 30 });
  });
});

describe('clusterMarks', () => {
  const [width, height] = [320, 320];
  const inPlace = Int32Array.from({ length: height }, (_, row) => row);
  const marked = (weight: number, ...pixels: readonly (readonly [x: number, y: number])[]): Uint8Array => {
    const marks = new Uint8Array(width * height);
    for (const [x, y] of pixels) for (let at = 0; at < 6; at += 1) marks[y * width + x + at] = weight;
    return marks;
  };

  it('returns tight boxes and joins marks of one line or paragraph', () => {
    const boxes = clusterMarks(marked(24, [10, 20], [40, 22], [10, 60], [250, 250]), width, inPlace);
    expect(boxes.map(({ changed: _, removedRows: __, ...edges }) => edges)).toEqual([
      { left: 10, top: 20, right: 45, bottom: 60 },
      { left: 250, top: 250, right: 255, bottom: 250 },
    ]);
  });

  it('ignores marks that blur explains', () => {
    expect(clusterMarks(marked(1, [10, 20], [100, 200]), width, inPlace)).toEqual([]);
  });

  it('joins all marks of one added band', () => {
    const added = inPlace.map((row) => (row >= 96 && row < 224 ? -1 : row));
    expect(clusterMarks(marked(24, [10, 100], [250, 200]), width, added)).toHaveLength(1);
    expect(clusterMarks(marked(24, [10, 100], [250, 200]), width, inPlace)).toHaveLength(2);
  });
});
