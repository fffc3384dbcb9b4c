import { literals, type RawBuilder, sql } from '@tidemark/sql';
import { LIST_TRANSITIONS, type ListState, type ListTransition } from '../domain/list-state.ts';

/** Writes the condition that a row is in one of these states. */
export const isInState = (states: readonly ListState[], column = 'state'): RawBuilder<boolean> =>
  sql`${sql.ref(column)} IN (${literals(states)})`;

/** Writes the condition that a row is in a state from which the transition starts. */
export const canMake = (transition: ListTransition, column = 'state'): RawBuilder<boolean> =>
  isInState(LIST_TRANSITIONS[transition].from, column);

/** Writes the state after the transition, as a literal. */
export const stateAfter = (transition: ListTransition): RawBuilder<ListState> =>
  sql.lit(LIST_TRANSITIONS[transition].to);
