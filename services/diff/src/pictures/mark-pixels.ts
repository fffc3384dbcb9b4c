import pixelmatch from 'pixelmatch';
import { ADDED, UNKNOWN } from './align-rows.ts';
import { CELL, MIN_CELL_WEIGHT } from './cluster-marks.ts';
import type { Colour, Picture } from './picture.ts';

/** Rows compared at once; bounds the memory for any height. */
const STRIP = 16 * CELL;
/** Rows above and below that anti-aliasing detection needs. */
const MARGIN = 2;
/** Colour thresholds, 0 to 1: for pixels without blur, and for text encoded again by JPEG. */
const COLOUR_THRESHOLD = 0.1;
const CLEAR_COLOUR_THRESHOLD = 0.2;
/** JPEG block size with chroma subsampling: rows shifted by whole blocks are encoded the same. */
const BLOCK = 16;
/** Rounding of line positions shifts parts by one row. */
const JITTER = [1, -1] as const;

/** Weight of a pixel as evidence of a change. */
const BLURRED_WEIGHT = 1;
const CLEAR_WEIGHT = 8;
const CERTAIN_WEIGHT = 24;

/**
 * Returns a weight per pixel of the later picture; 0 where it equals its counterpart, apart from anti-aliasing. Added
 * rows are compared with the background. Both pictures must have one width.
 */
export function markPixels(before: Picture, after: Picture, counterparts: Int32Array, background: Colour): Uint8Array {
  const { width, height } = after;
  const marks = new Uint8Array(width * height);
  const blank = rowOf(background, width);
  for (let top = 0; top < height; top += STRIP) {
    const end = Math.min(top + STRIP, height);
    const strip = { before, after, counterparts, blank, top, end };
    const found = marksOf(strip, 0);
    if (found === undefined) continue;
    const isJittery = isMoved(strip) && hasChangedCell(found, width);
    for (const rowsOff of isJittery ? JITTER : []) keepLowerWeights(found, marksOf(strip, rowsOff), width);
    marks.set(found, top * width);
  }
  return marks;
}

interface Strip {
  readonly before: Picture;
  readonly after: Picture;
  readonly counterparts: Int32Array;
  /** Compared with added rows. */
  readonly blank: Uint8Array;
  readonly top: number;
  readonly end: number;
}

const isMoved = ({ counterparts, top, end }: Strip): boolean =>
  counterparts.subarray(top, end).some((counterpart, row) => counterpart >= 0 && counterpart !== top + row);

/** Returns the marks of a strip, comparing shifted rows `rowsOff` rows off; undefined: none. */
function marksOf(strip: Strip, rowsOff: number): Uint8Array | undefined {
  const { after, counterparts, top, end } = strip;
  const { width } = after;
  const first = Math.max(top - MARGIN, 0);
  const last = Math.min(end + MARGIN, after.height);
  const later = after.data.slice(first * width * 4, last * width * 4);
  const earlier = earlierRows(strip, { first, later, rowsOff });
  const mask = maskOf(earlier, later, width, COLOUR_THRESHOLD);
  if (mask === undefined) return undefined;
  const clearMask = isMoved(strip) ? maskOf(earlier, later, width, CLEAR_COLOUR_THRESHOLD) : undefined;
  const marks = new Uint8Array((end - top) * width);
  for (let row = top; row < end; row += 1) {
    const counterpart = counterparts[row] ?? UNKNOWN;
    const isSharp = counterpart < 0 || (row - counterpart) % BLOCK === 0;
    for (let x = 0; x < width; x += 1) {
      const at = ((row - first) * width + x) * 4 + 3;
      if (mask[at] === 0) continue;
      marks[(row - top) * width + x] = isSharp ? CERTAIN_WEIGHT : blurredWeight(clearMask?.[at]);
    }
  }
  return marks;
}

/** Returns the weight of a pixel that JPEG may have encoded again, by its value in the mask of clear differences. */
const blurredWeight = (clear: number | undefined): number => ((clear ?? 0) === 0 ? BLURRED_WEIGHT : CLEAR_WEIGHT);

/** Returns the earlier rows that the strip is compared with. */
function earlierRows(
  { before, counterparts, blank }: Strip,
  { first, later, rowsOff }: { readonly first: number; readonly later: Uint8Array; readonly rowsOff: number },
): Uint8Array {
  const bytes = before.width * 4;
  const earlier = new Uint8Array(later.length);
  for (let at = 0; at < later.length; at += bytes) {
    const row = first + at / bytes;
    const counterpart = counterparts[row] ?? UNKNOWN;
    if (counterpart === UNKNOWN) earlier.set(later.subarray(at, at + bytes), at);
    else if (counterpart === ADDED) earlier.set(blank, at);
    else {
      const near = counterpart === row ? row : Math.min(Math.max(counterpart + rowsOff, 0), before.height - 1);
      earlier.set(before.data.subarray(near * bytes, (near + 1) * bytes), at);
    }
  }
  return earlier;
}

/** Returns the mask of differing pixels; undefined: none. */
function maskOf(earlier: Uint8Array, later: Uint8Array, width: number, threshold: number): Uint8Array | undefined {
  const mask = new Uint8Array(later.length);
  const options = { threshold, includeAA: false, diffMask: true };
  return pixelmatch(earlier, later, mask, width, later.length / width / 4, options) === 0 ? undefined : mask;
}

/** Whether any cell of the strip would count as changed. */
function hasChangedCell(marks: Uint8Array, width: number): boolean {
  const weights = new Uint16Array(Math.ceil(marks.length / width / CELL) * Math.ceil(width / CELL));
  return marks.some((mark, at) => {
    if (mark === 0) return false;
    const cell = Math.floor(Math.floor(at / width) / CELL) * Math.ceil(width / CELL) + Math.floor((at % width) / CELL);
    weights[cell] = (weights[cell] ?? 0) + mark;
    return (weights[cell] ?? 0) >= MIN_CELL_WEIGHT;
  });
}

/** Copies each cell in which `shifted` has a lower weight. */
function keepLowerWeights(marks: Uint8Array, shifted: Uint8Array | undefined, width: number): void {
  if (shifted === undefined) return void marks.fill(0);
  const height = marks.length / width;
  for (let top = 0; top < height; top += CELL) {
    for (let left = 0; left < width; left += CELL) {
      const cell = { left, right: Math.min(left + CELL, width), top, bottom: Math.min(top + CELL, height), width };
      if (weightOf(shifted, cell) < weightOf(marks, cell)) copyCell(shifted, marks, cell);
    }
  }
}

/** A cell of marks that are `width` pixels wide; right and bottom are exclusive. */
interface Cell {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly width: number;
}

function weightOf(marks: Uint8Array, { left, right, top, bottom, width }: Cell): number {
  let weight = 0;
  for (let y = top; y < bottom; y += 1)
    for (let at = y * width + left; at < y * width + right; at += 1) weight += marks[at] ?? 0;
  return weight;
}

function copyCell(from: Uint8Array, to: Uint8Array, { left, right, top, bottom, width }: Cell): void {
  for (let y = top; y < bottom; y += 1) to.set(from.subarray(y * width + left, y * width + right), y * width + left);
}

function rowOf([red, green, blue]: Colour, width: number): Uint8Array {
  const row = new Uint8Array(width * 4).fill(255);
  for (let at = 0; at < row.length; at += 4) {
    row[at] = red;
    row[at + 1] = green;
    row[at + 2] = blue;
  }
  return row;
}
