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
  const { runs } = deps;
  const claim = { runs, claimed, isOpen };
  const listed = isListedToEnd(claimed) ? claimed : await processToEnd(deps.listBatch, claimed, claim);
  if (listed === undefined) return;
  // Only ended runs are claimed. An incomplete one was listed by a concurrent call that read it as running.
  if (!isListedToEnd(listed)) return runs.postpone(listed.no, retrySeconds(runs.policy, listed.attempts), false);
  const settled = listed.state === 'settled' ? listed : await settleRun(deps, listed, claim);
  if (settled === undefined) return;
  const isSketched = settled.sketched >= settled.listed;
  const complete = isSketched ? settled : await processToEnd(deps.sketchBatch, settled, claim);
  if (complete === undefined) return;
  await deps.recorded.drop(complete.id);
  await runs.rest(complete.no);
}

/** Completes and settles a listed run. @returns undefined if the run was released */
async function settleRun(
  { runs, queries, completeBatch, sketchAfterSeconds }: RunWorkerDeps,
  run: ListedRun,
  claim: Claim,
): Promise<ListedRun | undefined> {
  const completed = await processToEnd(completeBatch, run, claim);
  if (completed === undefined) return undefined;
  const isSettled = await runs.settle(completed.no, await queries.summarize(completed));
  if (isSettled && sketchAfterSeconds <= 0) return completed;
  await runs.postpone(completed.no, isSettled ? sketchAfterSeconds : 1, true);
  return undefined;
}

interface Claim {
  readonly runs: RunStore;
  /** The run when it was claimed: what was done since is progress. */
  readonly claimed: ListedRun;
  readonly isOpen: () => boolean;
}

/** Processes batches of a run to the end of its list. @returns the changed run; undefined if it was released before */
async function processToEnd(
  batch: ProcessBatch,
  from: ListedRun,
  { runs, claimed, isOpen }: Claim,
): Promise<ListedRun | undefined> {
  for (let run = from; ; ) {
    const step = await batch(run);
    if (step === undefined) return undefined;
    run = step.run;
    if (step.next === 'end') return run;
    if (step.next === 'waits') {
      const madeProgress = run.listed > claimed.listed || run.checked > claimed.checked;
      await runs.postpone(run.no, retrySeconds(runs.policy, run.attempts), madeProgress);
      return undefined;
    }
    if (!isOpen()) {
      await runs.postpone(run.no, 0, true);
      return undefined;
    }
    if (!(await runs.hold(run.no))) return undefined;
  }
}
