import type { DueStatus } from '@tidemark/contracts/projects/v1/projects';
import type { StatesAfter, Transitions } from '@tidemark/sql/transitions';

/**
 * The state machine of a due run, which begins as `starting`, claimed by the instance that finds it due. A claim whose lease has expired is repeated.
 * Statements take both sides of a transition from here.
 */
export const DUE_TRANSITIONS = {
  claim: { from: ['starting'], to: 'starting' },
  /** Crawl has accepted the run. */
  start: { from: ['starting'], to: 'started' },
  /** An earlier run of the project is under way, or the workspace is suspended. */
  skip: { from: ['starting'], to: 'skipped' },
  /** The run can not start, such as without credits. */
  refuse: { from: ['starting'], to: 'refused' },
} as const satisfies Transitions<DueStatus>;

/** The result of a claimed due run. */
export type FinishedDueStatus = Exclude<StatesAfter<typeof DUE_TRANSITIONS, 'starting'>, 'starting'>;
