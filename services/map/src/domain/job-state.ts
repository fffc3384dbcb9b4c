import type { JobStatus } from '@tidemark/contracts/job/v1/job';
import type { Transitions } from '@tidemark/sql/transitions';

/** The state machine of a map, which begins as `running`, with the instance that accepted it. Statements take both sides of a transition from here. */
export const JOB_TRANSITIONS = {
  /** Another instance takes over a job whose lease has expired. */
  takeOver: { from: ['running'], to: 'running' },
  finish: { from: ['running'], to: 'done' },
  fail: { from: ['running'], to: 'error' },
  cancel: { from: ['running'], to: 'cancelled' },
} as const satisfies Transitions<JobStatus>;
