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
/** Boxes that are joined; of a page that changed everywhere the largest. */
const MAX_BOXES = 500;

/** Why a comparison of pictures says less than it could. */
export type Shortfall = 'cut' | 'out_of_time' | 'unreadable';

/** What differs to the eye between two pictures of a page. */
export interface PictureDelta {
  /** Of all pixels those that changed, came or went, 0 to 1; undefined: that could not be told. */
  readonly changedShare: number | undefined;
  /** In pixels of the later picture, the largest first. */
  readonly areas: readonly ChangedArea[];
  /** There were more areas than are told. */
  readonly isTruncated: boolean;
  readonly shortfall: Shortfall | undefined;
  /** A PNG of the later picture with the changes marked, where it was asked for. */
  readonly drawn: Uint8Array | undefined;
}

/** Nothing can be told of what changed. */
export const unknownDelta = (shortfall: Shortfall): PictureDelta => ({
  changedShare: undefined,
  areas: [],
  isTruncated: false,
  shortfall,
  drawn: undefined,
});

/** Two JPEGs of one page compared: what came or went moves the rest along, and only what looks different is a change. */
export function compareJpegs(before: Uint8Array, after: Uint8Array, isDrawn: boolean): PictureDelta {
  const sizes = [sizeOfJpeg(before), sizeOfJpeg(after)] as const;
  if (sizes[0] === undefined || sizes[1] === undefined) return unknownDelta('unreadable');
  try {
    const [earlier, later] = [readJpeg(before), readJpeg(after)];
    const cut = { before: earlier.height < sizes[0].height, after: later.height < sizes[1].height };
    const delta = comparePictures(earlier, later, { isDrawn, isBeforeCut: cut.before, isAfterCut: cut.after });
    return { ...delta, shortfall: cut.before || cut.after ? 'cut' : undefined };
  } catch {
    // The decoder throws plain errors at what it can't read or what would take too much.
    return unknownDelta('unreadable');
  }
}

export interface PictureOptions {
  readonly isDrawn: boolean;
  /** More of the page lay below. */
  readonly isBeforeCut?: boolean;
  readonly isAfterCut?: boolean;
}

/** As `compareJpegs`, of decoded pictures. */
export function comparePictures(earlier: Picture, later: Picture, options: PictureOptions): PictureDelta {
  const background = backgroundOf(later);
  const width = Math.max(earlier.width, later.width);
  const [before, after] = [widened(earlier, width, background), widened(later, width, background)];
  // Two pictures of one height are of a window: what was pushed over its lower edge is not gone from the page.
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
