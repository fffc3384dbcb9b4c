import type { WorkspaceChanged } from '@tidemark/contracts/identity/v1/events';
import type { ReceivedEvent } from '@tidemark/service';
import type { AccountStore } from './store/account-store.ts';

/** Stores changed snapshot of workspaces in their accounts, and deletes the accounts of deleted workspaces. */
export type OnWorkspaceChanged = (batch: readonly ReceivedEvent<WorkspaceChanged>[]) => Promise<void>;

export function makeOnWorkspaceChanged(
  accounts: AccountStore,
  discardPayments: (workspaceId: string) => Promise<void>,
): OnWorkspaceChanged {
  return async (batch) => {
    for (const { snapshot } of batch.map(({ event }) => event)) {
      if (snapshot === undefined) continue;
      if (snapshot.state === 'deleted') {
        await accounts.delete(snapshot.workspaceId);
        await discardPayments(snapshot.workspaceId);
      } else await accounts.update(snapshot);
    }
  };
}
