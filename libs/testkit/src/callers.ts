import { type Caller, newId } from '@tidemark/contracts';
import type { CallContext } from '@tidemark/service';

/** Returns the context of a call for a workspace, as the gateway sends it. */
export function callerIn(workspaceId: string, caller: Partial<Caller> = {}): CallContext {
  return {
    requestId: newId('req'),
    caller: { workspaceId, keyId: 'key_test', scope: 'admin', projects: [], ...caller },
  };
}

/** Returns the context of a call without a caller: an operator's, or a service's own. */
export const anonymous = (): CallContext => ({ requestId: newId('req') });

/** Returns the id of a new workspace. */
export const newWorkspace = (): string => newId('ws');
