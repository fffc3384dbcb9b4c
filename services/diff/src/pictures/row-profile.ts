import { lightnessAt, type Picture } from './picture.ts';

/** Pixels per bin of a row. */
const BIN = 20;
/** Lightness noise of JPEG for equal pixels at another position, of 255. */
const NOISE = 3;

/** Mean lightness of each bin of each row; stable against JPEG block positions. */
export interface RowProfile {
  readonly rows: number;
  readonly bins: number;
  readonly lightness: Uint8Array;
}

export function profileRows({ width, height, data }: Picture): RowProfile {
  const bins = Math.ceil(width / BIN);
  const lightness = new Uint8Array(height * bins);
  for (let y = 0; y < height; y += 1) {
    for (let bin = 0; bin < bins; bin += 1) {
      const from = bin * BIN;
      const to = Math.min(from + BIN, width);
      let sum = 0;
      for (let x = from; x < to; x += 1) sum += lightnessAt(data, (y * width + x) * 4);
      lightness[y * bins + bin] = Math.round(sum / (to - from));
    }
  }
  return { rows: height, bins, lightness };
}

/** Returns the difference of two rows above noise. Both profiles must have one width. */
export function rowDistance(a: RowProfile, rowA: number, b: RowProfile, rowB: number): number {
  const { bins } = a;
  let distance = 0;
  for (let bin = 0; bin < bins; bin += 1) {
    const apart = Math.abs((a.lightness[rowA * bins + bin] ?? 0) - (b.lightness[rowB * bins + bin] ?? 0));
    if (apart > NOISE) distance += apart - NOISE;
  }
  return distance;
}
