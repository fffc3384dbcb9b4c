import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import type { AccountStore } from '../store/account-store.ts';

/**
 * Opens the account of a workspace with the snapshot of identity, and the account of its payer before it. It returns false
 * if the workspace does not exist. @throws AppError unavailable
 */
export type OpenAccount = (workspaceId: string) => Promise<boolean>;

export function makeOpenAccount({ identity, accounts }: { identity: Peer; accounts: AccountStore }): OpenAccount {
  return async function open(workspaceId) {
    const snapshot = await describe(workspaceId);
    if (snapshot === undefined) return false;
    if (
      snapshot.parentId !== undefined &&
      !(await accounts.exists(snapshot.parentId)) &&
      !(await open(snapshot.parentId))
    )
      return false;
    await accounts.open(snapshot);
    return true;
  };

  async function describe(workspaceId: string) {
    try {
      return (await identity.call(Identity.describeAccount, { workspaceId }, { requestId: '' })).snapshot;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  }
}
