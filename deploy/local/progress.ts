/** Prints the progress of the local stack, one line per step. */
export interface Progress {
  /** Prints a line before a step that takes long. */
  note(name: string, text: string): void;
  /** Runs a step and prints its result and duration. */
  step<Result>(name: string, work: () => Promise<Result>, outcome: (result: Result) => string): Promise<Result>;
}

const NAME_WIDTH = 13;
const TEXT_WIDTH = 52;

export function makeProgress(write: (line: string) => void, now: () => number = Date.now): Progress {
  return {
    note: (name, text) => write(`  ${name.padEnd(NAME_WIDTH)} ${text}`),
    async step(name, work, outcome) {
      const startedAt = now();
      const result = await work();
      const seconds = ((now() - startedAt) / 1000).toFixed(1);
      write(`  ${name.padEnd(NAME_WIDTH)} ${outcome(result).padEnd(TEXT_WIDTH)} ${seconds.padStart(5)} s`);
      return result;
    },
  };
}

/** Runs the steps without output, for tests and benchmarks. */
export const silent: Progress = makeProgress(() => {});
