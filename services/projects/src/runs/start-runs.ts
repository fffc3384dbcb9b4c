import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import { mapConcurrently } from '../concurrency/map-concurrently.ts';
import { refusalOf } from '../refusal-of.ts';
import type { RequestContext } from '../request-context.ts';
import type { StartRun } from './start-run.ts';

const MAX_STARTED = 1_000;
const CONCURRENT_STARTS = 16;
/** Deadline of all starts of one request, ms. Must be shorter than the client's default timeout. */
const START_ALL_DEADLINE_MS = 8_000;
const START_DEADLINE_MS = 9_000;
const TRIGGERS: readonly string[] = ['manual', 'api'];

export interface StartResult {
  readonly projectId: string;
  readonly run: Run | undefined;
  readonly code: string;
  readonly why: string;
}

/**
 * Starts a run of one project on request. `trigger` empty: api.
 * @throws AppError not_found, conflict, validation, credits_exhausted, tier_limit
 */
export type StartRequestedRun = (
  context: RequestContext,
  projectId: string,
  trigger: string,
  deadlineMs?: number,
) => Promise<Run>;

export function makeStartRequestedRun(startRun: StartRun): StartRequestedRun {
  return async (context, projectId, trigger, deadlineMs = START_DEADLINE_MS) => {
    const checked = trigger === '' ? 'api' : trigger;
    if (!TRIGGERS.includes(checked)) throw new AppError('validation', `trigger: expected ${TRIGGERS.join(' or ')}`);
    return startRun(context, projectId, { trigger: checked, deadlineMs });
  };
}

/** Starts a run of each project. One that cannot be started does not block the others. */
export type StartRuns = (
  context: RequestContext,
  projectIds: readonly string[],
  trigger: string,
) => Promise<StartResult[]>;

export function makeStartRuns(startRequestedRun: StartRequestedRun): StartRuns {
  /** @throws AppError validation */
  return async (context, projectIds, trigger) => {
    const ids = [...new Set(projectIds)];
    if (ids.length > MAX_STARTED) throw new AppError('validation', `project_ids: at most ${MAX_STARTED}`);
    const deadline = performance.now() + START_ALL_DEADLINE_MS;
    return mapConcurrently(ids, CONCURRENT_STARTS, async (projectId) => {
      try {
        const remainingMs = deadline - performance.now();
        if (remainingMs <= 0) throw new AppError('unavailable', 'not started before the deadline; try again');
        const run = await startRequestedRun(context, projectId, trigger, remainingMs);
        return { projectId, run, code: '', why: '' };
      } catch (error) {
        return { projectId, run: undefined, ...refusalOf(error) };
      }
    });
  };
}
