import type { JobStatus } from '@tidemark/contracts/job/v1/job';
import type { StatesAfter, Transitions } from '@tidemark/sql/transitions';

/**
 * The state machine of a run, which begins as `queued`. A paused run keeps its state. Statements take both sides of a transition from here, and are
 * fenced by the lease where an orchestrator makes them.
 */
export const RUN_TRANSITIONS = {
  /** An orchestrator claims the run for the first time. */
  start: { from: ['queued'], to: 'running' },
  /** Another orchestrator takes over a run whose lease has expired. */
  takeOver: { from: ['running'], to: 'running' },
  /** Its last page has ended, or its saved login was deleted. */
  finish: { from: ['queued', 'running'], to: 'done' },
  fail: { from: ['running'], to: 'error' },
  cancel: { from: ['queued', 'running'], to: 'cancelled' },
} as const satisfies Transitions<JobStatus>;

/** The states of a run that has not ended. */
export const OPEN_STATES = RUN_TRANSITIONS.cancel.from;

/** The states in which an orchestrator ends a run. */
export type EndedStatus = Exclude<StatesAfter<typeof RUN_TRANSITIONS, 'running'>, 'running' | 'cancelled'>;
