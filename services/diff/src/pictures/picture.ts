/** A decoded picture: RGBA, row by row. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
}

export type Colour = readonly [red: number, green: number, blue: number];

/** Returns the lightness of a pixel, 0 to 255, by an integer approximation. */
export const lightnessAt = (data: Uint8Array, at: number): number =>
  ((data[at] ?? 0) + 2 * (data[at + 1] ?? 0) + (data[at + 2] ?? 0)) >> 2;

/** Sampling step for the background colour, pixels. */
const BACKGROUND_STEP = 7;

/** Returns the most frequent colour. Similar colours count together because JPEG blurs them. */
export function backgroundOf({ data }: Picture): Colour {
  const counts = new Map<number, { count: number; at: number }>();
  for (let at = 0; at < data.length; at += 4 * BACKGROUND_STEP) {
    const near = (((data[at] ?? 0) >> 3) << 10) | (((data[at + 1] ?? 0) >> 3) << 5) | ((data[at + 2] ?? 0) >> 3);
    const known = counts.get(near);
    if (known === undefined) counts.set(near, { count: 1, at });
    else known.count += 1;
  }
  let best = { count: 0, at: 0 };
  for (const one of counts.values()) if (one.count > best.count) best = one;
  return [data[best.at] ?? 255, data[best.at + 1] ?? 255, data[best.at + 2] ?? 255];
}

/** Returns the picture extended to the right with a colour; unchanged if it is wide enough. */
export function widened(picture: Picture, width: number, [red, green, blue]: Colour): Picture {
  if (picture.width >= width) return picture;
  const data = new Uint8Array(width * picture.height * 4);
  for (let y = 0; y < picture.height; y += 1) {
    const row = picture.data.subarray(y * picture.width * 4, (y + 1) * picture.width * 4);
    data.set(row, y * width * 4);
    for (let at = (y * width + picture.width) * 4; at < (y + 1) * width * 4; at += 4) {
      data[at] = red;
      data[at + 1] = green;
      data[at + 2] = blue;
      data[at + 3] = 255;
    }
  }
  return { width, height: picture.height, data };
}
