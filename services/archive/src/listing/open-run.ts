import { allowsProject } from '@tidemark/contracts';
import type { ProjectRun } from '@tidemark/contracts/archive/v1/archive';
import { AppError } from '@tidemark/errors';
import { type CallContext, callerOf } from '@tidemark/service';
import { isListedToEnd } from '../domain/list-state.ts';
import type { ListedRun } from '../domain/listed-run.ts';
import type { Arrivals } from '../pages/arrivals.ts';
import type { RunStore } from '../store/run-store.ts';
import type { ProcessBatch } from './list-run.ts';

/** Batches of a thousand pages that a call lists before it reads the run. */
const STEPS = 3;
/** Time limit of these batches, ms. */
const LIST_MS = 500;
/** Longest time a call may wait, ms. */
const MAX_WAIT_MS = 10_000;
/** Interval at which an awaited run is read, ms: events that another replica stores wake no waiter of this process. */
const READ_EVERY_MS = 200;

export interface OpenRunDeps {
  readonly runs: Pick<RunStore, 'find' | 'isDiscarded'>;
  readonly arrivals: Pick<Arrivals, 'next'>;
  /** Concurrent calls for a run share a batch. */
  readonly listBatch: ProcessBatch;
}

const runNotFound = (): AppError => new AppError('not_found', 'run not found');

/**
 * Returns the run of a call after listing the pages that have arrived. A caller that passes how many pages have ended waits for them.
 * A run that the caller has read from crawl, and of which no event is stored, is returned without pages.
 * @throws AppError not_found for a run that is discarded, of another workspace or project, or unknown here and to the caller
 */
export type OpenRun = (requested: ProjectRun | undefined, call: CallContext) => Promise<ListedRun>;

export function makeOpenRun({ runs, arrivals, listBatch }: OpenRunDeps): OpenRun {
  return async (requested, call) => {
    const { workspaceId, access } = callerOf(call);
    if (requested === undefined || requested.projectId === '') throw runNotFound();
    if (!allowsProject(access, requested.projectId)) throw runNotFound();
    const untilMs = performance.now() + Math.min(requested.expected?.waitMs ?? 0, MAX_WAIT_MS);
    for (;;) {
      const arrival = arrivals.next(requested.runId, Math.max(0, Math.min(READ_EVERY_MS, untilMs - performance.now())));
      const run = await currentRun({ runs, listBatch }, requested, workspaceId);
      if (isEnough(run, requested) || performance.now() >= untilMs) return run;
      await arrival;
    }
  };
}

/** Returns whether the pages that the caller expects are listed. */
function isEnough(run: ListedRun, { expected }: ProjectRun): boolean {
  return isListedToEnd(run) || expected === undefined || (!expected.hasEnded && run.listed >= expected.pages);
}

async function currentRun(
  { runs, listBatch }: Pick<OpenRunDeps, 'runs' | 'listBatch'>,
  requested: ProjectRun,
  workspaceId: string,
): Promise<ListedRun> {
  const run = await runs.find(workspaceId, requested.runId);
  if (run === undefined) {
    const isExpected = requested.expected !== undefined && !(await runs.isDiscarded(workspaceId, requested.runId));
    if (isExpected) return withoutEvents(requested, workspaceId);
    throw runNotFound();
  }
  if (run.projectId !== requested.projectId) throw runNotFound();
  return isListedToEnd(run) ? run : catchUp(listBatch, run);
}

/** A number that no run has: identity columns begin with 1. */
const NO_RUN = '0';

/** Returns a running run without pages, for one of which no event is stored. */
const withoutEvents = ({ runId, projectId }: ProjectRun, workspaceId: string): ListedRun => ({
  no: NO_RUN,
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

async function catchUp(listBatch: ProcessBatch, run: ListedRun): Promise<ListedRun> {
  const until = performance.now() + LIST_MS;
  let at = run;
  for (let i = 0; i < STEPS && performance.now() < until; i += 1) {
    const step = await listBatch(at);
    if (step === undefined) throw runNotFound();
    at = step.run;
    if (step.next !== 'more') break;
  }
  return at;
}
