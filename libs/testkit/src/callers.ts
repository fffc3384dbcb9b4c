import {
  ALL_PROJECTS,
  type KeyCaller,
  newId,
  OPERATOR,
  onlyProjects,
  onOwnBehalf,
  type PersonCaller,
  type ServiceCaller,
} from '@tidemark/contracts';
import type { CallContext } from '@tidemark/service';

/** Differences from a key with the scope admin and access to all projects. `projects`: access to these only. */
export type KeyOptions = Partial<Omit<KeyCaller, 'kind' | 'workspaceId' | 'access'>> & {
  readonly projects?: readonly string[] | undefined;
};

/** Returns the context of a call with an API key, as the gateway sends it. */
export function callerIn(
  workspaceId: string,
  { projects, ...key }: KeyOptions = {},
): CallContext & { readonly caller: KeyCaller } {
  const access = projects === undefined ? ALL_PROJECTS : onlyProjects(projects);
  return {
    requestId: newId('req'),
    caller: { kind: 'key', workspaceId, keyId: 'key_test', scope: 'admin', access, ...key },
  };
}

/** Returns the context of a call of a signed-in person, as the gateway sends it. */
export function personIn(
  workspaceId: string,
  person: Partial<Pick<PersonCaller, 'userId' | 'sessionId' | 'scope' | 'parentId'>> = {},
): CallContext & { readonly caller: PersonCaller } {
  return {
    requestId: newId('req'),
    caller: {
      kind: 'person',
      workspaceId,
      userId: 'usr_test',
      sessionId: 'ses_test',
      scope: 'admin',
      access: ALL_PROJECTS,
      ...person,
    },
  };
}

/** Returns the context of a call that the operator makes for a workspace. */
export const operatorIn = (workspaceId: string): CallContext & { readonly caller: ServiceCaller } => ({
  requestId: newId('req'),
  caller: onOwnBehalf(OPERATOR, workspaceId),
});

/** Returns the context of a call without a caller: an operator's, or a service's own. */
export const anonymous = (): CallContext => ({ requestId: newId('req') });

/** Returns the id of a new workspace. */
export const newWorkspace = (): string => newId('ws');
