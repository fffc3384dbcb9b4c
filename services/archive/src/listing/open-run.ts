import { allowsProject } from '@tidemark/contracts';
import type { ProjectRun } from '@tidemark/contracts/archive/v1/archive';
import { AppError } from '@tidemark/errors';
import { type CallContext, callerOf } from '@tidemark/service';
import { isListedToEnd } from '../domain/list-state.ts';
import type { ListedRun } from '../domain/listed-run.ts';
import type { Arrivals } from '../pages/arrivals.ts';
import type { RunStore } from '../store/run-store.ts';
import type { Step } from './list-run.ts';

/** Steps along a run's pages before a call is answered that waits for nothing: a thousand pages each. */
const STEPS = 3;
/** Longest time for those steps, ms. */
const LIST_MS = 500;
/** Longest time a call may wait, ms. */
const MAX_WAIT_MS = 10_000;
/** Longest time between two reads of a run that is waited for, ms: another replica may store its events, which wakes nothing here. */
const READ_EVERY_MS = 200;

export interface OpenRunDeps {
  readonly runs: Pick<RunStore, 'find' | 'isDiscarded'>;
  readonly arrivals: Pick<Arrivals, 'next'>;
  /** Calls made at the same moment share a step. */
  readonly listSome: (run: ListedRun) => Promise<Step | undefined>;
}

const none = (): AppError => new AppError('not_found', 'run not found');

/**
 * Returns the run a call is about, listed as far as its pages have arrived. A caller that passes how many pages have ended waits for them.
 * A run that the caller has read at crawl, and of which no event has arrived, counts as one without pages so far.
 * @throws AppError not_found: another workspace's, another project's, discarded, or unknown to both
 */
export function makeOpenRun(deps: OpenRunDeps) {
  return async (requested: ProjectRun | undefined, call: CallContext): Promise<ListedRun> => {
    const { workspaceId, access } = callerOf(call);
    if (requested === undefined || requested.projectId === '') throw none();
    if (!allowsProject(access, requested.projectId)) throw none();
    const untilMs = performance.now() + Math.min(requested.expected?.waitMs ?? 0, MAX_WAIT_MS);
    for (;;) {
      const arrival = deps.arrivals.next(
        requested.runId,
        Math.max(0, Math.min(READ_EVERY_MS, untilMs - performance.now())),
      );
      const run = await currentRun(deps, requested, workspaceId);
      if (isEnough(run, requested) || performance.now() >= untilMs) return run;
      await arrival;
    }
  };
}

/** Whether a run is listed as far as its caller expects. */
function isEnough(run: ListedRun, { expected }: ProjectRun): boolean {
  return isListedToEnd(run) || expected === undefined || (!expected.hasEnded && run.listed >= expected.pages);
}

async function currentRun(deps: OpenRunDeps, requested: ProjectRun, workspaceId: string): Promise<ListedRun> {
  const run = await deps.runs.find(workspaceId, requested.runId);
  if (run === undefined) {
    const isExpected = requested.expected !== undefined && !(await deps.runs.isDiscarded(workspaceId, requested.runId));
    if (isExpected) return unseen(requested, workspaceId);
    throw none();
  }
  if (run.projectId !== requested.projectId) throw none();
  return isListedToEnd(run) ? run : catchUp(deps, run);
}

/** The number of no run: identity columns begin with 1. */
const UNSEEN = '0';

/** A run of which no event has arrived: it has no pages here, and more are to come. */
const unseen = ({ runId, projectId }: ProjectRun, workspaceId: string): ListedRun => ({
  no: UNSEEN,
  id: runId,
  workspaceId,
  projectId,
  status: 'running',
  endedAt: undefined,
  total: undefined,
  listed: 0,
  provisional: 0,
  checked: 0,
  sketched: 0,
  attempts: 0,
  interruptions: 0,
  state: 'listing',
  summary: undefined,
  stuckSince: undefined,
});

async function catchUp({ listSome }: OpenRunDeps, run: ListedRun): Promise<ListedRun> {
  const until = performance.now() + LIST_MS;
  let at = run;
  for (let i = 0; i < STEPS && performance.now() < until; i += 1) {
    const step = await listSome(at);
    if (step === undefined) throw none();
    at = step.run;
    if (step.next !== 'more') break;
  }
  return at;
}
