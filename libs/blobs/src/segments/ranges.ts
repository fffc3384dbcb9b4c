import type { Location } from './segment-index.ts';

/** Bytes between two entries that are read and dropped instead of reading twice. */
const MAX_GAP = 32 * 1024;
/** Bytes of a range, unless a single entry has more. */
const MAX_RANGE = 1024 * 1024;

/** A range of a segment, and what lies in it. */
export interface Range<T> extends Location {
  readonly items: readonly T[];
}

/** Joins locations that are close to each other into ranges, which are read at once. */
export function rangesOf<T>(items: readonly T[], locationOf: (item: T) => Location): Range<T>[] {
  const sorted = items
    .map((item) => ({ item, ...locationOf(item) }))
    .sort((a, b) => (a.segment === b.segment ? a.at - b.at : a.segment < b.segment ? -1 : 1));
  const ranges: { segment: string; at: number; span: number; items: T[] }[] = [];
  for (const { item, segment, at, span } of sorted) {
    const last = ranges.at(-1);
    const joins =
      last !== undefined &&
      last.segment === segment &&
      at - (last.at + last.span) <= MAX_GAP &&
      at + span - last.at <= MAX_RANGE;
    if (joins) {
      last.span = Math.max(last.span, at + span - last.at);
      last.items.push(item);
    } else ranges.push({ segment, at, span, items: [item] });
  }
  return ranges;
}
