import { DESCRIPTIONS, LIGHT_MEMORY, type ProcessMemory, SERVICES } from '../services.ts';
import { Problem } from './problem.ts';

/** Memory of a host process: of a service, or of the process `light`. */
const memoryOf = (name: string): ProcessMemory => {
  const service = SERVICES.find((one) => one === name);
  return service === undefined ? LIGHT_MEMORY : DESCRIPTIONS[service].memory;
};

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
  const { old, maxOld, young, resident } = memoryOf(name);
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
