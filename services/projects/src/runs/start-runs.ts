import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import type { RunTrigger } from '@tidemark/contracts/job/v1/job';
import { AppError } from '@tidemark/errors';
import { mapConcurrently } from '../concurrency/map-concurrently.ts';
import { checkTag } from '../project-config/check-tags.ts';
import { refusalOf } from '../requests/refusal-of.ts';
import type { RequestContext } from '../requests/request-context.ts';
import type { ProjectStore } from '../store/project-store.ts';
import type { StartRun } from './start-run.ts';

const MAX_STARTED = 1_000;
const CONCURRENT_STARTS = 16;
/** Deadline of all starts of one request, ms. Must be shorter than the client's default timeout. */
const START_ALL_DEADLINE_MS = 8_000;
const START_DEADLINE_MS = 9_000;
const TRIGGERS: readonly RunTrigger[] = ['manual', 'api'];

export interface StartResult {
  readonly projectId: string;
  readonly run: Run | undefined;
  /** Why no run was started; undefined: it was. */
  readonly code: string | undefined;
  readonly why: string | undefined;
}

/**
 * Starts a run of one project on request; `trigger` is manual or api.
 * @throws AppError not_found, conflict, validation, credits_exhausted, tier_limit
 */
export type StartRequestedRun = (
  context: RequestContext,
  projectId: string,
  trigger: RunTrigger,
  deadlineMs?: number,
) => Promise<Run>;

export function makeStartRequestedRun(startRun: StartRun): StartRequestedRun {
  return async (context, projectId, trigger, deadlineMs = START_DEADLINE_MS) => {
    if (!TRIGGERS.includes(trigger)) throw new AppError('validation', `trigger: expected ${TRIGGERS.join(' or ')}`);
    return startRun(context, projectId, { trigger, deadlineMs });
  };
}

/** Starts a run of each project. One that cannot be started does not block the others. */
export type StartRuns = (
  context: RequestContext,
  projectIds: readonly string[],
  trigger: RunTrigger,
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
        return { projectId, run, code: undefined, why: undefined };
      } catch (error) {
        return { projectId, run: undefined, ...refusalOf(error) };
      }
    });
  };
}

/** Starts a run of each project with a tag, newest project first. One that cannot be started does not block the others. */
export type StartTaggedRuns = (context: RequestContext, tag: string, trigger: RunTrigger) => Promise<StartResult[]>;

export interface StartTaggedRunsDeps {
  readonly projects: Pick<ProjectStore, 'list'>;
  readonly startRuns: StartRuns;
}

export function makeStartTaggedRuns({ projects, startRuns }: StartTaggedRunsDeps): StartTaggedRuns {
  /** @throws AppError validation */
  return async (context, tag, trigger) => {
    const filter = { health: undefined, tag: checkTag(tag, 'tag'), before: undefined, limit: MAX_STARTED + 1 };
    const tagged = await projects.list(context.caller, filter);
    if (tagged.length > MAX_STARTED) throw tooManyTagged();
    return startRuns(
      context,
      tagged.map(({ id }) => id),
      trigger,
    );
  };
}

const tooManyTagged = (): AppError => {
  const msg = `more than ${MAX_STARTED} projects have the tag; start them in parts by project_ids`;
  return new AppError('validation', `tag: ${msg}`, { detail: [{ loc: ['body', 'tag'], msg, type: 'too_many' }] });
};
