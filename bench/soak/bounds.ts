import type { ProcessMemory } from '../../test/harness/memory.ts';

/** Highest growth between the two measurements, percent. */
export const MAX_GROWTH = 5;
/**
 * Growth that is not counted, MB: pages of an arena that malloc gives back late. A leak of that size in a quarter of an hour shows in the
 * heap, which is measured without it.
 */
const NOISE_MB = 4;

/** One figure of one process, early and late. */
export interface Growth {
  readonly name: string;
  readonly early: number;
  readonly late: number;
  readonly percent: number;
  readonly isBound: boolean;
  readonly isBroken: boolean;
}

function growthOf(name: string, early: number, late: number, isBound: boolean): Growth {
  const percent = (100 * (late - early)) / Math.max(1, early);
  return { name, early, late, percent, isBound, isBroken: isBound && percent > MAX_GROWTH && late - early > NOISE_MB };
}

/**
 * Compares two measurements of the same processes. Children are shown without a bound: those of PostgreSQL fill its cache up to
 * `shared_buffers`, and browser-pool opens and closes browsers with the load.
 */
export function compare(early: readonly ProcessMemory[], late: readonly ProcessMemory[]): Growth[] {
  return early.flatMap((before) => {
    const after = late.find(({ pid }) => pid === before.pid);
    if (after === undefined) return [{ ...growthOf(`${before.name}: ended`, before.pssMb, 0, true), isBroken: true }];
    const heap = before.heapMb !== undefined && after.heapMb !== undefined;
    return [
      ...(heap ? [growthOf(`${before.name}: heap`, before.heapMb, after.heapMb, true)] : []),
      growthOf(`${before.name}: PSS`, before.pssMb, after.pssMb, heap),
      ...(before.childrenMb > 1
        ? [growthOf(`${before.name}: children`, before.childrenMb, after.childrenMb, false)]
        : []),
    ];
  });
}
