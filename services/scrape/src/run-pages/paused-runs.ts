import { LRUCache } from 'lru-cache';

const RUNS_MAX = 1_000;

interface PausedRun {
  readonly pauses: number;
  /** Pages returned since, for reports that are repeated. */
  readonly returned: Set<string>;
}

/** The last pause of each run, and the pages that this process has returned for it. */
export class PausedRuns {
  readonly #runs = new LRUCache<string, PausedRun>({ max: RUNS_MAX });

  note(runId: string, pauses: number): void {
    const known = this.#runs.get(runId);
    if (known === undefined || known.pauses < pauses) this.#runs.set(runId, { pauses, returned: new Set() });
  }

  /** Returns whether a pause withdraws pages that were offered after this number of pauses. */
  withdraws({ runId, pauses }: { readonly runId: string; readonly pauses: number }): boolean {
    return (this.#runs.get(runId)?.pauses ?? 0) > pauses;
  }

  /** Records a page as returned. */
  noteReturned(runId: string, captureId: string): void {
    this.#runs.get(runId)?.returned.add(captureId);
  }

  /** Returns the last pause of the run, 0 if none, and the pages returned for it. */
  of(runId: string): { readonly pauses: number; readonly returned: readonly string[] } {
    const run = this.#runs.get(runId);
    return { pauses: run?.pauses ?? 0, returned: [...(run?.returned ?? [])] };
  }
}
