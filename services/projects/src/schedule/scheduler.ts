import { newId } from '@tidemark/contracts';
import { AppError, messageOf } from '@tidemark/errors';
import type { Logger } from '@tidemark/service';
import { eachOf } from '../each-of.ts';
import type { DueClaim, DueDecision, DueProject, DueStore } from '../store/due-store.ts';
import { dueAfter, missedSince } from './due-times.ts';

/** Runs claimed at once: their starts are done well before the claim runs out. */
const CLAIMED_AT_ONCE = 20;
const STARTED_AT_ONCE = 10;
/** A round gives way after this many claims, so that it is seen to end. */
const CLAIMS_A_ROUND = 100;
/** Some hours of trying: then what is due is given up, and its owner told. */
const MOST_ATTEMPTS = 50;
/** What another try may mend. */
const PASSING: readonly string[] = ['unavailable', 'internal', 'rate_limited'];

export interface SchedulerDeps {
  readonly dues: DueStore;
  /** Starts a run under this id, once, however often it is asked. @throws AppError */
  readonly startRun: (due: DueClaim) => Promise<void>;
  readonly now: () => Date;
  readonly log: Logger;
}

/**
 * Starts what is due. Any number of processes may look at once: a due run is claimed under a row lock, by its project and time, and
 * the run it becomes has an id from then on, so that a start that was cut off is done again without becoming a second run.
 */
export class Scheduler {
  readonly #deps: SchedulerDeps;

  constructor(deps: SchedulerDeps) {
    this.#deps = deps;
  }

  /** Starts what others left undone and what is due now. What is claimed and cut off is taken over by others. */
  async round(goesOn: () => boolean): Promise<void> {
    const { dues } = this.#deps;
    for (let claims = 0; claims < CLAIMS_A_ROUND && goesOn(); claims += 1) {
      const left = await dues.takeOver(CLAIMED_AT_ONCE);
      const now = this.#deps.now();
      const due = await dues.claim(now, CLAIMED_AT_ONCE - left.length, (project) => this.#decide(project, now));
      const claimed = [...left, ...due];
      if (claimed.length === 0) return;
      await eachOf(claimed, STARTED_AT_ONCE, (one) => this.#start(one));
    }
  }

  #decide(project: DueProject, now: Date): DueDecision {
    const { id, due } = project;
    try {
      return { runId: newId('run'), next: dueAfter(project, id, now), missed: missedSince(project, id, due, now) };
    } catch (error) {
      // What was a schedule once may not be one to another version; it must not hold up the others.
      this.#deps.log.error({ err: error, project: id }, 'a schedule can not be kept; nothing more is due of it');
      return { runId: newId('run'), next: undefined, missed: 0 };
    }
  }

  async #start(due: DueClaim): Promise<void> {
    const { dues, startRun, log } = this.#deps;
    try {
      await startRun(due);
      await dues.settle(due, 'started', '');
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'internal';
      const why = error instanceof AppError ? messageOf(error) : 'a fault of ours';
      if (PASSING.includes(code) && due.attempts < MOST_ATTEMPTS) {
        log.warn({ err: error, project: due.projectId }, 'a run that is due could not be started; trying again');
        await dues.postpone(due, why);
      } else await dues.settle(due, code === 'conflict' ? 'skipped' : 'refused', why);
    }
  }
}
