import { Problem } from './problem.ts';

/** Memory of a process, MB. */
interface Sizes {
  /** Size that the old generation of V8's heap may reach without extra marking. */
  readonly old?: number;
  readonly maxOld: number;
  /** Each semi-space of V8's young generation. */
  readonly young: number;
  /** Resident memory near which the process refuses new work: its heap, buffers outside the heap, and code. */
  readonly resident: number;
}

// A fixed young space and an old space with some headroom avoid the continuous marking by which V8 keeps the heap small.
// Twice the young space saves no measurable time and takes 33 MB per reader thread.
const SIZES: Record<string, Sizes> = {
  light: { old: 96, maxOld: 384, young: 16, resident: 1_024 },
  // The rows of a record live as long as their batch: a small young space copies each batch several times.
  diff: { old: 128, maxOld: 768, young: 32, resident: 1_280 },
  'browser-pool': { maxOld: 384, young: 8, resident: 768 },
  scrape: { old: 64, maxOld: 768, young: 16, resident: 2_048 },
};
const SIZES_ELSE: Sizes = { old: 64, maxOld: 768, young: 16, resident: 1_280 };

const MIN_SCALE = 0.5;
const MAX_SCALE = 8;

/** Limits of a host process. */
export interface MemoryLimits {
  readonly nodeFlags: readonly string[];
  readonly residentMb: number;
}

/**
 * Returns the memory limits of a host process. `scale` multiplies the largest heap and the resident memory; empty means 1.
 * @throws Problem if `scale` is not a number from 0.5 to 8
 */
export function memoryLimits(name: string, scale: string): MemoryLimits {
  const { old, maxOld, young, resident } = SIZES[name] ?? SIZES_ELSE;
  const factor = scale === '' ? 1 : Number(scale);
  if (!(factor >= MIN_SCALE && factor <= MAX_SCALE))
    throw new Problem(
      `TIDEMARK_MEMORY_SCALE is "${scale}"; set a number from ${MIN_SCALE} to ${MAX_SCALE}, or unset it.`,
    );
  const largest = Math.round(maxOld * factor);
  return {
    nodeFlags: [
      '--single-threaded-gc', // more threads would compete with the work on a small machine
      `--min-semi-space-size=${young}`,
      `--max-semi-space-size=${young}`,
      ...(old === undefined ? [] : [`--initial-old-space-size=${Math.min(old, largest)}`]),
      `--max-old-space-size=${largest}`,
    ],
    residentMb: Math.round(resident * factor),
  };
}
