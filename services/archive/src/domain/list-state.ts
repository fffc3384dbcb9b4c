/**
 * How far the list of a run has come. `listing`: pages are still to be listed; `completing`: all are listed, and their final details or the
 * summary are missing; `settled`: nothing of the list changes any more; `discarded`: nothing of the run can be read any more.
 */
export type ListState = 'listing' | 'completing' | 'settled' | 'discarded';

/** The states that may follow each state. Whether a worker holds the run is not part of it: that is its lease. */
const NEXT: Readonly<Record<ListState, readonly ListState[]>> = {
  listing: ['completing', 'discarded'],
  completing: ['settled', 'discarded'],
  settled: ['discarded'],
  discarded: [],
};

const LIST_STATES: readonly ListState[] = ['listing', 'completing', 'settled', 'discarded'];

/** Returns the states from which a run may change to this one. */
export const statesBefore = (to: ListState): readonly ListState[] =>
  LIST_STATES.filter((from) => NEXT[from].includes(to));

/** Whether every page of the run is listed or was given up. */
export const isListedToEnd = ({ state }: { readonly state: ListState }): boolean =>
  state === 'completing' || state === 'settled';
