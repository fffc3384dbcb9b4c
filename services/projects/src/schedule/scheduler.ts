import { newId } from '@tidemark/contracts';
import { AppError, messageOf } from '@tidemark/errors';
import { afterFailure, isPoison, poisonReason } from '@tidemark/leased-work';
import type { Logger } from '@tidemark/service';
import { mapConcurrently } from '../concurrency/map-concurrently.ts';
import type { DueClaim, DueDecision, DueProject, DueRunStore } from './due-run-store.ts';
import { dueAfter, missedSince } from './due-times.ts';

/** Due runs claimed at once: all are started well before the claim's lease expires. */
const CLAIM_BATCH = 20;
const CONCURRENT_STARTS = 10;
/** Claims per pass: a pass must end soon enough for a shutdown to notice. */
const MAX_CLAIMS = 100;
/** Error codes that a retry may resolve. */
const TRANSIENT: readonly string[] = ['unavailable', 'internal', 'rate_limited'];

const isPostponed = ({ code, retryAfterSeconds }: AppError): boolean =>
  code === 'conflict' && retryAfterSeconds !== undefined;

export interface SchedulerDeps {
  readonly dueRuns: DueRunStore;
  /** Starts a run under the claim's ID. Idempotent. @throws AppError */
  readonly startRun: (claim: DueClaim) => Promise<void>;
  readonly now: () => Date;
  readonly log: Logger;
}

/**
 * Starts the runs that are due. Any number of instances may run at once: a due run is claimed under a row lock by project and due time, and
 * its run ID is generated with the claim, so that a start that is repeated after a crash does not create a second run.
 */
export class Scheduler {
  readonly #deps: SchedulerDeps;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
  }

  /** Starts due runs whose claim has expired, and runs that are due now, until none is left or `isRunning` returns false. */
  async run(isRunning: () => boolean): Promise<void> {
    const { dueRuns } = this.#deps;
    for (let claims = 0; claims < MAX_CLAIMS && isRunning(); claims += 1) {
      const expired = await dueRuns.claimExpired(CLAIM_BATCH);
      const now = this.#deps.now();
      const due = await dueRuns.claim(now, CLAIM_BATCH - expired.length, (project) => this.#decide(project, now));
      const claimed = [...expired, ...due];
      if (claimed.length === 0) return;
      await mapConcurrently(claimed, CONCURRENT_STARTS, (claim) => this.#start(claim));
    }
  }

  #decide(project: DueProject, now: Date): DueDecision {
    const { id, due } = project;
    try {
      return { runId: newId('run'), next: dueAfter(project, id, now), missed: missedSince(project, id, due, now) };
    } catch (error) {
      // A schedule that another version accepted may be invalid now; it must not block other projects.
      this.#deps.log.error({ err: error, project: id }, 'stored schedule is invalid, no further run will be due');
      return { runId: newId('run'), next: undefined, missed: 0 };
    }
  }

  async #start(claim: DueClaim): Promise<void> {
    const { dueRuns, startRun, log } = this.#deps;
    try {
      if (isPoison(claim.interruptions)) return await dueRuns.finish(claim, 'refused', poisonReason('started the run'));
      await startRun(claim);
      await dueRuns.finish(claim, 'started', '');
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'internal';
      const why = error instanceof AppError ? messageOf(error) : 'an internal error';
      // A conflict with a time to try again is with a recrawl, which ends soon and does not replace a full run.
      const isTransient = TRANSIENT.includes(code) || (error instanceof AppError && isPostponed(error));
      const after = afterFailure(dueRuns.policy, claim.attempts);
      if (isTransient && after.next === 'retry') {
        log.warn({ err: error, project: claim.projectId }, 'due run could not be started, will retry');
        await dueRuns.retry(claim, after.inSeconds, why);
      } else await dueRuns.finish(claim, code === 'conflict' ? 'skipped' : 'refused', why);
    }
  }
}
