export { type Caller, highestScope, SCOPES, type Scope, scopeIncludes as reaches } from './caller.ts';
export { ID_PREFIXES, type IdPrefix, isId, newId } from './ids.ts';
export {
  type Codec,
  type Control,
  confirmationSubject as confirmSubject,
  controls,
  DEAD_STREAM,
  EVENT_STREAM as FACT_STREAM,
  type EventDefinition as Fact,
  events as facts,
  WORK_STREAM,
  type Work,
  work,
} from './subjects.ts';
