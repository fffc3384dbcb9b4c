import type { Transitions } from '@tidemark/sql/transitions';

/** State of the record of a run. `pending`: it waits to be built, or is being built; `made`: it can be read. */
export type RecordState = 'pending' | 'made' | 'failed';

/**
 * The state machine of a record, which begins as `pending`. Statements take both sides of a transition from here. The lease of a worker is
 * not part of the state. A record whose run is deleted is deleted in any state.
 */
export const RECORD_TRANSITIONS = {
  /** Its entries are written, in the same transaction. */
  finish: { from: ['pending'], to: 'made' },
  /** Its attempts are used up. The next record is compared with the state before it. */
  fail: { from: ['pending'], to: 'failed' },
} as const satisfies Transitions<RecordState>;
