import type { WorkspaceChanged } from '@tidemark/contracts/identity/v1/events';
import type { ReceivedEvent } from '@tidemark/service';
import type { AccountStore } from './store/account-store.ts';

/** Stores changed facts of workspaces in their accounts, and deletes the accounts of deleted workspaces. */
export function makeOnWorkspaceChanged(accounts: AccountStore) {
  return async (batch: readonly ReceivedEvent<WorkspaceChanged>[]): Promise<void> => {
    for (const { facts } of batch.map(({ event }) => event)) {
      if (facts === undefined) continue;
      if (facts.state === 'deleted') await accounts.delete(facts.workspaceId);
      else await accounts.update(facts);
    }
  };
}
