import type { ChangedArea } from './changed-area.ts';
import { type Colour, lightnessAt, type Picture } from './picture.ts';
import { writePng } from './write-png.ts';

/** Grey levels of the faded picture, lightest last. */
const GREYS = 64;
/** Share of the picture's darkness that remains. */
const DARKNESS_SHARE = 0.45;
const MARK: Colour = [214, 0, 84];
const FRAME: Colour = [0, 90, 200];
const MARK_AT = GREYS;
const FRAME_AT = GREYS + 1;
/** Width of a frame's line, and its distance from the area, pixels. */
const LINE = 2;
const GAP = 3;

const palette: readonly Colour[] = [
  ...Array.from({ length: GREYS }, (_, grey): Colour => {
    const lightness = Math.round(255 - (255 - (grey * 255) / (GREYS - 1)) * DARKNESS_SHARE);
    return [lightness, lightness, lightness];
  }),
  MARK,
  FRAME,
];

/** Draws the later picture faded and grey, with changed pixels marked and areas framed, as PNG. */
export function drawChanges(
  { width, height, data }: Picture,
  marks: Uint8Array,
  areas: readonly ChangedArea[],
): Buffer {
  const pixels = new Uint8Array(width * height);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = lightnessAt(data, at * 4) >> 2;
  for (const area of areas) {
    const isSeam = area.removedHeight > 0 && area.height === 1;
    for (let y = area.y; y < area.y + area.height; y += 1)
      for (let at = y * width + area.x; at < y * width + area.x + area.width; at += 1)
        if (isSeam || marks[at] !== 0) pixels[at] = MARK_AT;
  }
  for (const area of areas) frame(pixels, { width, height }, area);
  return writePng({ width, height, palette, pixels });
}

function frame(pixels: Uint8Array, size: { width: number; height: number }, area: ChangedArea): void {
  const fill = (left: number, top: number, right: number, bottom: number): void => {
    const [from, to] = [Math.max(left, 0), Math.min(right, size.width)];
    if (from >= to) return;
    for (let y = Math.max(top, 0); y < Math.min(bottom, size.height); y += 1)
      pixels.fill(FRAME_AT, y * size.width + from, y * size.width + to);
  };
  const [left, top] = [area.x - GAP - LINE, area.y - GAP - LINE];
  const [right, bottom] = [area.x + area.width + GAP + LINE, area.y + area.height + GAP + LINE];
  fill(left, top, right, top + LINE);
  fill(left, bottom - LINE, right, bottom);
  fill(left, top, left + LINE, bottom);
  fill(right - LINE, top, right, bottom);
}
