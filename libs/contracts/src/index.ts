export { type Caller, highestScope, reaches, SCOPES, type Scope } from './caller.ts';
export { ID_PREFIXES, type IdPrefix, isId, newId } from './ids.ts';
export {
  type Codec,
  type Control,
  confirmSubject,
  controls,
  DEAD_STREAM,
  FACT_STREAM,
  type Fact,
  facts,
  WORK_STREAM,
  type Work,
  work,
} from './subjects.ts';
