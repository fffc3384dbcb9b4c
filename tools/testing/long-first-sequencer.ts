import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isRecord } from '../lints/ast.ts';
import type { TestFile } from './report.ts';
import { ringOf } from './timings.ts';

/** What is used of jest's tests. */
interface Test {
  readonly path: string;
  readonly context: { readonly config: { readonly rootDir: string } };
}

/** Seconds that the longer test files took, by path; `RECORD_DURATIONS=1 npm test` writes them. */
export const DURATIONS_FILE = join(import.meta.dirname, 'durations.json');

/** Seconds from which a file is listed. */
const LISTED_FROM = 2;
/** Seconds assumed for a file that is not listed: it is short, or new. */
const ASSUMED = { units: 0.5, services: 1.5, fleet: 1.5 } as const;

/** Starts long test files first, so that no worker is left with a long one at the end. Also in a fresh clone, which has no cache of jest's. */
class LongFirstSequencer {
  readonly #seconds = readDurations();

  sort<T extends Test>(tests: readonly T[]): T[] {
    const seconds = new Map(tests.map((test) => [test, this.#secondsOf(test)]));
    return tests.toSorted((a, b) => (seconds.get(b) ?? 0) - (seconds.get(a) ?? 0) || a.path.localeCompare(b.path));
  }

  #secondsOf({ path, context }: Test): number {
    const short = relative(context.config.rootDir, path);
    return this.#seconds[short] ?? ASSUMED[ringOf(short)];
  }

  /** Jest calls this with `--onlyFailures`; failures are not remembered. */
  allFailedTests<T extends Test>(tests: readonly T[]): T[] {
    return this.sort(tests);
  }

  cacheResults(): void {}
}

/** The text of the durations file after a run. */
export function durationsOf(files: readonly TestFile[]): string {
  const long = files.filter(({ seconds }) => seconds >= LISTED_FROM).toSorted((a, b) => b.seconds - a.seconds);
  const rows = long.map(({ path, seconds }) => [path, Math.round(seconds)]);
  return `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`;
}

function readDurations(): Record<string, number> {
  const read: unknown = JSON.parse(readFileSync(DURATIONS_FILE, 'utf8'));
  const entries = isRecord(read) ? Object.entries(read) : [];
  return Object.fromEntries(entries.flatMap(([path, value]) => (typeof value === 'number' ? [[path, value]] : [])));
}

// biome-ignore lint/style/noDefaultExport: jest loads a sequencer so.
export default LongFirstSequencer;
