/** The steps of an axis: 1, 2 and 5 times a power of ten, and 2.5 where values are not whole. */
const STEPS = [1, 2, 2.5, 5, 10] as const;

/** The values at the lines of an axis, from the lowest to the highest. */
export interface Scale {
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly number[];
}

/** Returns the smallest nice step that covers a range with at most `lines` intervals. */
function stepOf(range: number, lines: number, isWhole: boolean): number {
  const raw = range / lines;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = (STEPS.find((one) => one * power >= raw * (1 - 1e-9)) ?? 10) * power;
  return isWhole ? Math.max(1, Math.ceil(step)) : step;
}

/**
 * Returns a scale whose lines are round numbers and which contains all values. Counts start at 0. Measurements, such as prices, start near
 * the lowest one, so that a change of a few percent is visible; a single value has a line above and below it.
 */
export function scaleOf(
  values: readonly number[],
  { from, lines = 4 }: { from: 'zero' | 'lowest'; lines?: number },
): Scale {
  const known = values.filter(Number.isFinite);
  const highest = Math.max(from === 'zero' ? 1 : Number.NEGATIVE_INFINITY, ...known);
  const lowest = from === 'zero' ? 0 : Math.min(...known);
  if (!Number.isFinite(highest) || !Number.isFinite(lowest)) return { min: 0, max: 1, ticks: [0, 1] };
  const range = highest - lowest || Math.abs(highest) / 5 || 1;
  const step = stepOf(range, lines, from === 'zero' && known.every(Number.isInteger));
  let min = Math.floor(lowest / step) * step;
  let max = Math.ceil(highest / step) * step;
  if (min === max) [min, max] = [min - step, max + step];
  if (from === 'lowest' && lowest >= 0) min = Math.max(0, min);
  const count = Math.round((max - min) / step);
  // Rounded, because multiples of 0.1 are not exact.
  const ticks = Array.from({ length: count + 1 }, (_, at) => Number((min + at * step).toPrecision(12)));
  return { min, max, ticks };
}

/** Returns where a value lies on a scale, 0 to 1. */
export const shareOf = ({ min, max }: Scale, value: number): number => (value - min) / (max - min);
