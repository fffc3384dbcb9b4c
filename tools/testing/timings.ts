import type { TestFile } from './report.ts';

/** `services`: a service, or several, on real servers. `fleet`: all services, over HTTP. `units`: the rest. */
const RINGS = ['units', 'services', 'fleet'] as const;

export type Ring = (typeof RINGS)[number];

export function ringOf(path: string): Ring {
  if (/^test\/(contract|isolation|e2e|security)\//.test(path)) return 'fleet';
  return /^services\/[^/]+\/test\//.test(path) ? 'services' : 'units';
}

const seconds = (value: number): string => `${value.toFixed(1).padStart(7)} s`;

/** Lines that state the time of each ring, summed over its files, and the slowest files. */
export function timingLines(files: readonly TestFile[], slowest = 20): string[] {
  const sum = (of: readonly TestFile[], value: (file: TestFile) => number): number =>
    of.reduce((total, file) => total + value(file), 0);
  const rings = RINGS.map((ring) => {
    const own = files.filter(({ path }) => ringOf(path) === ring);
    const tests = String(sum(own, (file) => file.tests)).padStart(5);
    return `  ${ring.padEnd(10)}${String(own.length).padStart(4)} files ${tests} tests ${seconds(sum(own, (file) => file.seconds))}`;
  });
  const longest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowest);
  return [
    ...rings,
    `the ${longest.length} slowest files:`,
    ...longest.map((file) => `${seconds(file.seconds)}  ${file.path}`),
  ];
}
