import { isPoison, poisonReason, retrySeconds } from '@tidemark/leased-work';
import { type Logger, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import { isListedToEnd } from '../domain/list-state.ts';
import type { ListedRun } from '../domain/listed-run.ts';
import type { PageQueries } from '../store/page-queries.ts';
import type { RecordedPageStore } from '../store/recorded-page-store.ts';
import type { RunStore } from '../store/run-store.ts';
import type { ProcessBatch } from './list-run.ts';

export interface RunWorkerDeps {
  readonly runs: RunStore;
  readonly queries: PageQueries;
  readonly recorded: Pick<RecordedPageStore, 'drop'>;
  readonly listBatch: ProcessBatch;
  readonly completeBatch: ProcessBatch;
  readonly sketchBatch: ProcessBatch;
  readonly everyMs: number;
  /** Delay before words are sketched, seconds: comparisons read the pages of a run that has just ended at the same time. */
  readonly sketchAfterSeconds: number;
  readonly log: Logger;
}

/** Time limit of one claim, ms; then other runs get their turn. */
const TURN_MS = 10_000;

/** Lists, completes, summarizes and sketches runs that have ended. Safe on many replicas: each claims a different run. */
export function openRunWorker(deps: RunWorkerDeps): PeriodicTask {
  const { runs, everyMs, log } = deps;
  const oneRun = async (isOpen: () => boolean): Promise<boolean> => {
    const run = await runs.claim();
    if (run === undefined) return false;
    if (isPoison(run.interruptions)) {
      log.error({ run: run.id }, `run is not listed further: ${poisonReason('listed its pages')}`);
      await runs.rest(run.no);
      return true;
    }
    const until = performance.now() + TURN_MS;
    try {
      await advanceRun(deps, run, () => isOpen() && performance.now() < until);
    } catch (error) {
      await runs.postpone(run.no, retrySeconds(runs.policy, run.attempts), false);
      log.warn({ err: error, run: run.id }, 'pages of a run could not be listed, will retry');
    }
    return true;
  };
  return new PeriodicTask({
    everyMs,
    run: (isOpen) => repeatUntilDone(() => oneRun(isOpen), isOpen),
    failed: 'scan for ended runs failed, will retry',
    log,
  });
}

/** Advances a claimed run within its time limit: list, complete, settle, sketch. Progress is stored in its row, where the next claim resumes. */
async function advanceRun(deps: RunWorkerDeps, claimed: ListedRun, isOpen: () => boolean): Promise<void> {
  const { runs, sketchAfterSeconds } = deps;
  let run = claimed;
  /** Processes batches to the end of the list. @returns false if the run was released before */
  const runToEnd = async (batch: ProcessBatch): Promise<boolean> => {
    for (;;) {
      const step = await batch(run);
      if (step === undefined) return false;
      const madeProgress = step.run.listed > claimed.listed || step.run.checked > claimed.checked;
      run = step.run;
      if (step.next === 'end') return true;
      if (step.next === 'waits') {
        await runs.postpone(run.no, retrySeconds(runs.policy, run.attempts), madeProgress);
        return false;
      }
      if (!isOpen()) {
        await runs.postpone(run.no, 0, true);
        return false;
      }
      if (!(await runs.hold(run.no))) return false;
    }
  };
  if (!isListedToEnd(run) && !(await runToEnd(deps.listBatch))) return;
  // Only ended runs are claimed. An incomplete one was listed by a concurrent call that read it as running.
  if (!isListedToEnd(run)) return runs.postpone(run.no, retrySeconds(runs.policy, run.attempts), false);
  if (run.state !== 'settled') {
    if (!(await runToEnd(deps.completeBatch))) return;
    if (!(await runs.settle(run.no, await deps.queries.summarize(run)))) return runs.postpone(run.no, 1, true);
    if (sketchAfterSeconds > 0) return runs.postpone(run.no, sketchAfterSeconds, true);
  }
  if (run.sketched < run.listed && !(await runToEnd(deps.sketchBatch))) return;
  await deps.recorded.drop(run.id);
  await runs.rest(run.no);
}
