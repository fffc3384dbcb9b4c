import type { RemovedBand } from './align-rows.ts';
import type { Box } from './changed-area.ts';
import { type Colour, lightnessAt, type Picture } from './picture.ts';

/** Minimum lightness difference from the background for visible content, of 255. */
const MIN_CONTRAST = 40;

/**
 * Returns removed bands as lines of the later picture, as wide as their visible content. Bands without visible content
 * are left out.
 */
export function boxesOfRemoved(
  before: Picture,
  removed: readonly RemovedBand[],
  later: { readonly height: number; readonly background: Colour },
): readonly Box[] {
  return removed.flatMap((band) => {
    const visible = visibleExtent(before, band, later.background);
    if (visible === undefined) return [];
    const top = Math.min(band.at, later.height - 1);
    return [{ ...visible, top, bottom: top, removedRows: band.to - band.from }];
  });
}

function visibleExtent({ width, data }: Picture, { from, to }: RemovedBand, background: Colour) {
  const backgroundLightness = lightnessAt(Uint8Array.from(background), 0);
  let [left, right, changed] = [width, -1, 0];
  for (let y = from; y < to; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (Math.abs(lightnessAt(data, (y * width + x) * 4) - backgroundLightness) <= MIN_CONTRAST) continue;
      changed += 1;
      left = Math.min(left, x);
      right = Math.max(right, x);
    }
  }
  return changed === 0 ? undefined : { left, right, changed };
}
