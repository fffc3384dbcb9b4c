export {
  ALL_PROJECTS,
  actedBy,
  actorLimitOf,
  actorOf,
  allowsProject,
  type Caller,
  GRANT_DAYS,
  hasScope,
  highestScope,
  type KeyCaller,
  onlyProjects,
  onOwnBehalf,
  ownWorkspaceOf,
  type Person,
  type PersonCaller,
  type ProgramCaller,
  type ProjectAccess,
  projectLimitOf,
  reachesWorkOf,
  SCOPES,
  type Scope,
  type ServiceCaller,
  scopeIncludes,
} from './caller.ts';
export { ID_PREFIXES, type IdPrefix, isId, newId } from './ids.ts';
export { lengthPrefix } from './length-prefix.ts';
export { mayCallOnOwnBehalf, OWN_BEHALF_CALLERS } from './own-behalf-callers.ts';
export {
  AVAILABILITIES,
  PRODUCT_SOURCES,
  type ProductValues,
  toProductValues,
} from './product-words.ts';
export { accessFromWire, accessToWire } from './project-access.ts';
export { reusingSerializer } from './reusing-serializer.ts';
export { isRole, ROLES, type Role, roleIncludes, scopeOfRole } from './roles.ts';
export { FLEET_NAMES, mayCall, OPERATOR, RPC_CALLERS } from './rpc-callers.ts';
export { isScopedToCaller } from './rpc-scope.ts';
export { STOP_REASONS, type StopReason } from './stop-reasons.ts';
export {
  type Codec,
  type Control,
  confirmationSubject,
  controls,
  DEAD_STREAM,
  EVENT_STREAM,
  type EventDefinition,
  events,
  WORK_STREAM,
  type Work,
  work,
} from './subjects.ts';
export { textOrEmpty } from './text-or-empty.ts';
export { isReadVerdict, pagesRead } from './verdicts.ts';
