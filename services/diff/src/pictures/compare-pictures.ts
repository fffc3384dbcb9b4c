import { alignRows } from './align-rows.ts';
import { type ChangedArea, largestFirst, mergeNear, toArea } from './changed-area.ts';
import { CELL, clusterMarks } from './cluster-marks.ts';
import { drawChanges } from './draw-changes.ts';
import { markPixels } from './mark-pixels.ts';
import { backgroundOf, type Picture, widened } from './picture.ts';
import { readJpeg, sizeOfJpeg } from './read-jpeg.ts';
import { boxesOfRemoved } from './removed-bands.ts';
import { profileRows } from './row-profile.ts';

const MAX_AREAS = 50;
/** Maximum number of boxes that are merged, largest first. */
const MAX_BOXES = 500;

/** Why a comparison is incomplete. */
export type Shortfall = 'cut' | 'out_of_time' | 'unreadable';

/** Visible differences between two pictures of a page. */
export interface PictureDelta {
  /** Share of pixels that changed, were added or were removed, 0 to 1; undefined: unknown. */
  readonly changedShare: number | undefined;
  /** In pixels of the later picture, largest first. */
  readonly areas: readonly ChangedArea[];
  /** Not all areas are listed. */
  readonly isTruncated: boolean;
  readonly shortfall: Shortfall | undefined;
  /** If requested: PNG of the later picture with the changes marked. */
  readonly drawn: Uint8Array | undefined;
}

/** Returns a result without changes and the reason. */
export const unknownDelta = (shortfall: Shortfall): PictureDelta => ({
  changedShare: undefined,
  areas: [],
  isTruncated: false,
  shortfall,
  drawn: undefined,
});

/** Compares two JPEGs of one page. Added or removed rows shift the rest; only visible differences count. */
export function compareJpegs(before: Uint8Array, after: Uint8Array, isDrawn: boolean): PictureDelta {
  const sizes = [sizeOfJpeg(before), sizeOfJpeg(after)] as const;
  if (sizes[0] === undefined || sizes[1] === undefined) return unknownDelta('unreadable');
  try {
    const [earlier, later] = [readJpeg(before), readJpeg(after)];
    const cut = { before: earlier.height < sizes[0].height, after: later.height < sizes[1].height };
    const delta = comparePictures(earlier, later, { isDrawn, isBeforeCut: cut.before, isAfterCut: cut.after });
    return { ...delta, shortfall: cut.before || cut.after ? 'cut' : undefined };
  } catch {
    // The decoder throws plain errors for unreadable files and exceeded limits.
    return unknownDelta('unreadable');
  }
}

export interface PictureOptions {
  readonly isDrawn: boolean;
  /** The picture is cut at its lower edge. */
  readonly isBeforeCut?: boolean;
  readonly isAfterCut?: boolean;
}

/** As `compareJpegs`, for decoded pictures. */
export function comparePictures(earlier: Picture, later: Picture, options: PictureOptions): PictureDelta {
  const background = backgroundOf(later);
  const width = Math.max(earlier.width, later.width);
  const [before, after] = [widened(earlier, width, background), widened(later, width, background)];
  // Pictures of equal height show a viewport: rows below its edge are not removed from the page.
  const isWindow = before.height === after.height;
  const { counterparts, removed } = alignRows(profileRows(before), profileRows(after), {
    isBeforeCut: isWindow || options.isBeforeCut === true,
    isAfterCut: isWindow || options.isAfterCut === true,
  });
  const marks = markPixels(before, after, counterparts, background);
  const removedBoxes = boxesOfRemoved(before, removed, { height: after.height, background });
  const changed = largestFirst([...clusterMarks(marks, width, counterparts), ...removedBoxes]);
  const boxes = largestFirst(mergeNear(changed.slice(0, MAX_BOXES), CELL));
  const areas = boxes.slice(0, MAX_AREAS).map(toArea);
  const removedRows = removed.reduce((sum, { from, to }) => sum + to - from, 0);
  const pixels = changed.reduce((sum, box) => sum + box.changed, 0);
  return {
    changedShare: pixels / (width * (after.height + removedRows)),
    areas,
    isTruncated: boxes.length > MAX_AREAS || changed.length > MAX_BOXES,
    shortfall: undefined,
    drawn: options.isDrawn ? drawChanges(after, marks, areas) : undefined,
  };
}
