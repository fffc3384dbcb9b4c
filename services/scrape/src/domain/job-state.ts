import type { JobStatus } from '@tidemark/contracts/job/v1/job';
import type { StatesAfter, Transitions } from '@tidemark/sql/transitions';

/**
 * The state machine of a job. A single page begins as `running`, with the instance that accepted it; a batch as `queued`. Statements take both sides of a
 * transition from here.
 */
export const JOB_TRANSITIONS = {
  /** An instance claims the first page of a batch. */
  start: { from: ['queued'], to: 'running' },
  /** Another instance takes over a job whose lease has expired. */
  takeOver: { from: ['running'], to: 'running' },
  finish: { from: ['running'], to: 'done' },
  fail: { from: ['running'], to: 'error' },
  cancel: { from: ['queued', 'running'], to: 'cancelled' },
} as const satisfies Transitions<JobStatus>;

/** The states of a job that has not ended. */
export const OPEN_STATES = JOB_TRANSITIONS.cancel.from;

/** The states in which an attempt ends a job. */
export type EndedStatus = Exclude<StatesAfter<typeof JOB_TRANSITIONS, 'running'>, 'running' | 'cancelled'>;
