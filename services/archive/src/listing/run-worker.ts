import { type Logger, PeriodicTask, repeatUntilDone } from '@tidemark/service';
import { type ListedRun, retryInSeconds } from '../domain/listed-run.ts';
import type { PageQueries } from '../store/page-queries.ts';
import type { RecordedPageStore } from '../store/recorded-page-store.ts';
import type { RunStore } from '../store/run-store.ts';
import type { Step } from './list-run.ts';

type Some = (run: ListedRun) => Promise<Step | undefined>;

export interface RunWorkerDeps {
  readonly runs: RunStore;
  readonly queries: PageQueries;
  readonly recorded: Pick<RecordedPageStore, 'drop'>;
  readonly listSome: Some;
  readonly completeSome: Some;
  readonly sketchSome: Some;
  readonly everyMs: number;
  /** Whoever compares a run that has just ended reads its pages now: their words can wait so long. */
  readonly sketchAfterSeconds: number;
  readonly log: Logger;
}

/** A run gives way to others after this long. */
const TURN_MS = 10_000;

/** Brings runs that have ended to their end here: listed, completed, summed up, their words sketched. Many replicas may; each takes another run. */
export function openRunWorker(deps: RunWorkerDeps): PeriodicTask {
  const { runs, everyMs, log } = deps;
  const oneRun = async (isOpen: () => boolean): Promise<boolean> => {
    const run = await runs.claim();
    if (run === undefined) return false;
    const until = performance.now() + TURN_MS;
    try {
      await advanceRun(deps, run, () => isOpen() && performance.now() < until);
    } catch (error) {
      await runs.postpone(run.no, retryInSeconds(run.attempts), false);
      log.warn({ err: error, run: run.id }, 'pages of a run could not be listed, will retry');
    }
    return true;
  };
  return new PeriodicTask({
    everyMs,
    run: (isOpen) => repeatUntilDone(() => oneRun(isOpen), isOpen),
    failed: 'runs that have ended could not be listed; the next round tries',
    log,
  });
}

/** Goes as far with a claimed run as its turn lasts. Killed anywhere, it is taken up where its row says. */
async function advanceRun(deps: RunWorkerDeps, claimed: ListedRun, isOpen: () => boolean): Promise<void> {
  const { runs, sketchAfterSeconds } = deps;
  let run = claimed;
  /** @returns whether all of it is done */
  const runToEnd = async (some: Some): Promise<boolean> => {
    for (;;) {
      const step = await some(run);
      if (step === undefined) return false;
      const madeProgress = step.run.listed > claimed.listed || step.run.checked > claimed.checked;
      run = step.run;
      if (step.next === 'end') return true;
      if (step.next === 'waits') {
        await runs.postpone(run.no, retryInSeconds(run.attempts - 1), madeProgress);
        return false;
      }
      if (!isOpen()) {
        await runs.postpone(run.no, 0, true);
        return false;
      }
      await runs.hold(run.no);
    }
  };
  if (!run.complete && !(await runToEnd(deps.listSome))) return;
  // Only runs that have ended are claimed: one that seems to go on was looked at by who did not know that yet.
  if (!run.complete) return runs.postpone(run.no, retryInSeconds(run.attempts - 1), false);
  if (!run.settled) {
    if (!(await runToEnd(deps.completeSome))) return;
    if (!(await runs.settle(run.no, await deps.queries.summarize(run)))) return runs.postpone(run.no, 1, true);
    if (sketchAfterSeconds > 0) return runs.postpone(run.no, sketchAfterSeconds, true);
  }
  if (run.sketched < run.listed && !(await runToEnd(deps.sketchSome))) return;
  await deps.recorded.drop(run.id);
  await runs.rest(run.no);
}
