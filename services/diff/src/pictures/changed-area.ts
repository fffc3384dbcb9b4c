/** A changed rectangle of the later picture. */
export interface ChangedArea {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Share of its pixels that changed, 0 to 1. */
  readonly share: number;
  /** Number of rows of the earlier picture removed here. */
  readonly removedHeight: number;
}

/** A rectangle with inclusive edges and its changed pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly changed: number;
  readonly removedRows: number;
}

const sizeOf = ({ left, top, right, bottom, removedRows }: Box): number =>
  (right - left + 1) * Math.max(bottom - top + 1, removedRows);

/** Returns the bounding box of both. */
export const union = (a: Box, b: Box): Box => ({
  left: Math.min(a.left, b.left),
  top: Math.min(a.top, b.top),
  right: Math.max(a.right, b.right),
  bottom: Math.max(a.bottom, b.bottom),
  changed: a.changed + b.changed,
  removedRows: a.removedRows + b.removedRows,
});

const isNear = (a: Box, b: Box, reach: number): boolean =>
  a.left <= b.right + reach && b.left <= a.right + reach && a.top <= b.bottom + reach && b.top <= a.bottom + reach;

/** Merges boxes within reach of each other until none is. */
export function mergeNear(boxes: readonly Box[], reach: number): Box[] {
  const merged: Box[] = [];
  const left = [...boxes];
  for (let box = left.pop(); box !== undefined; box = left.pop()) {
    const current = box;
    const at = merged.findIndex((other) => isNear(current, other, reach));
    const [near] = at === -1 ? [] : merged.splice(at, 1);
    if (near === undefined) merged.push(current);
    else left.push(union(current, near));
  }
  return merged;
}

/** Sorts boxes by size, largest first. */
export const largestFirst = (boxes: readonly Box[]): Box[] =>
  [...boxes].sort((a, b) => sizeOf(b) - sizeOf(a) || a.top - b.top || a.left - b.left);

export function toArea({ left, top, right, bottom, changed, removedRows }: Box): ChangedArea {
  const [width, height] = [right - left + 1, bottom - top + 1];
  return { x: left, y: top, width, height, share: Math.min(changed / (width * height), 1), removedHeight: removedRows };
}
