/**
 * State of the list of a run. `listing`: pages are still to be listed; `completing`: all are listed, and their final details or the
 * summary are missing; `settled`: the list is final; `discarded`: the run can no longer be read.
 */
export type ListState = 'listing' | 'completing' | 'settled' | 'discarded';

interface Transition {
  readonly from: readonly ListState[];
  readonly to: ListState;
}

/**
 * The state machine of a run: every transition with the states it starts from. A run begins in `listing`. Statements take both sides from
 * here (`store/list-transitions.ts`), so that a row in another state does not change. The lease of a worker is not part of the state.
 */
export const LIST_TRANSITIONS = {
  /** The last page was listed or given up. */
  finishListing: { from: ['listing'], to: 'completing' },
  /** The final details of every page and the summary are stored. */
  settle: { from: ['completing'], to: 'settled' },
  /** crawl discarded the run. The event may be repeated. */
  discard: { from: ['listing', 'completing', 'settled'], to: 'discarded' },
} as const satisfies Readonly<Record<string, Transition>>;

/** The states in which a run can be read: a discarded run does not exist for callers. */
export const READABLE_STATES = LIST_TRANSITIONS.discard.from;

export type ListTransition = keyof typeof LIST_TRANSITIONS;

/** The states in which events of a run change its list. */
export const OPEN_STATES = ['listing', 'completing'] as const satisfies readonly ListState[];

/** Returns whether every page of the run is listed or was given up. */
export const isListedToEnd = ({ state }: { readonly state: ListState }): boolean =>
  state === 'completing' || state === 'settled';
