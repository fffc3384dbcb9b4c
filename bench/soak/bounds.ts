import type { ProcessMemory } from '../../test/harness/memory.ts';

/** Highest growth between the two measurements, percent. */
export const MAX_GROWTH = 5;
/**
 * Growth that is not counted, MB: pages of an arena that malloc gives back late. A leak of that size in a quarter of an hour shows in the
 * heap, which is measured without it.
 */
const NOISE_MB = 4;

/** One figure of one process, from the first measurement to the last. */
export interface Growth {
  readonly name: string;
  readonly values: readonly number[];
  readonly percent: number;
  readonly isBound: boolean;
  readonly isBroken: boolean;
}

function growthOf(name: string, values: readonly number[], isBound: boolean): Growth {
  const [early = 0, late = 0] = [values[0], values.at(-1)];
  const percent = (100 * (late - early)) / Math.max(1, early);
  return { name, values, percent, isBound, isBroken: isBound && percent > MAX_GROWTH && late - early > NOISE_MB };
}

/**
 * Compares the first with the last of some measurements of the same processes. Children are shown without a bound: those of PostgreSQL
 * fill its cache up to `shared_buffers`, and browser-pool opens and closes browsers with the load.
 */
export function compare(measured: readonly (readonly ProcessMemory[])[]): Growth[] {
  const [first = []] = measured;
  return first.flatMap(({ name, pid, heapMb, childrenMb }) => {
    const same = measured.map((memory) => memory.find((one) => one.pid === pid)).filter((one) => one !== undefined);
    const figures = (read: (memory: ProcessMemory) => number): number[] => same.map(read);
    if (same.length < measured.length)
      return [
        {
          ...growthOf(
            `${name}: ended`,
            figures(({ pssMb }) => pssMb),
            true,
          ),
          isBroken: true,
        },
      ];
    return [
      ...(heapMb === undefined
        ? []
        : [
            growthOf(
              `${name}: heap`,
              figures((memory) => memory.heapMb ?? 0),
              true,
            ),
          ]),
      growthOf(
        `${name}: PSS`,
        figures(({ pssMb }) => pssMb),
        heapMb !== undefined,
      ),
      ...(childrenMb > 1
        ? [
            growthOf(
              `${name}: children`,
              figures((memory) => memory.childrenMb),
              false,
            ),
          ]
        : []),
    ];
  });
}
