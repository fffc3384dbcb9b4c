import { LIST_TRANSITIONS, type ListState, type ListTransition } from '../domain/list-state.ts';

const quoted = (states: readonly ListState[]): string => states.map((state) => `'${state}'`).join(', ');

/** Returns the SQL condition that a row is in one of these states. */
export const isInState = (states: readonly ListState[], column = 'state'): string => `${column} IN (${quoted(states)})`;

/** Returns the SQL condition that a row is in a state from which the transition starts. */
export const canMake = (transition: ListTransition, column = 'state'): string =>
  isInState(LIST_TRANSITIONS[transition].from, column);

/** Returns the SQL literal of the state after the transition. */
export const stateAfter = (transition: ListTransition): string => `'${LIST_TRANSITIONS[transition].to}'`;
