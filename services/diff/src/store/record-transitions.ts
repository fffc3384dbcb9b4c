import { literals, type RawBuilder, sql } from '@tidemark/sql';
import { RECORD_TRANSITIONS, type RecordState } from '../domain/record-state.ts';

/** The states in which a record is to be built: every transition starts from them. */
const OPEN_STATES = RECORD_TRANSITIONS.finish.from satisfies typeof RECORD_TRANSITIONS.fail.from;

/** Is true of a record that is to be built. */
export const isPending = (table: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(`${table}.status`)} IN (${literals(OPEN_STATES)})`;

/** The state after a transition, as a constant of a statement. */
export const stateAfter = (transition: keyof typeof RECORD_TRANSITIONS): RawBuilder<RecordState> =>
  sql.lit(RECORD_TRANSITIONS[transition].to);
