import { type Caller, newId } from '@tidemark/contracts';
import type { CallContext } from '@tidemark/service';

/** A call in a workspace's name, as the gateway would make it. */
export function callerIn(workspaceId: string, caller: Partial<Caller> = {}): CallContext {
  return {
    requestId: newId('req'),
    caller: { workspaceId, keyId: 'key_test', scope: 'admin', projects: [], ...caller },
  };
}

/** A call nobody signed for: an operator's, or one service's to another. */
export const anonymous = (): CallContext => ({ requestId: newId('req') });

/** A workspace nobody has used before. */
export const newWorkspace = (): string => newId('ws');
