import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import type { AccountStore } from './store/account-store.ts';

/**
 * Makes a function that opens the account of a workspace with the facts of identity, and the account of its payer before it. It returns false
 * if the workspace does not exist. @throws AppError unavailable
 */
export function makeOpenAccount({ identity, accounts }: { identity: Peer; accounts: AccountStore }) {
  return async function open(workspaceId: string): Promise<boolean> {
    const facts = await describe(workspaceId);
    if (facts === undefined) return false;
    if (facts.parentId !== '' && !(await accounts.exists(facts.parentId)) && !(await open(facts.parentId)))
      return false;
    await accounts.open(facts);
    return true;
  };

  async function describe(workspaceId: string) {
    try {
      return (await identity.call(Identity.describeAccount, { workspaceId }, { requestId: '' })).facts;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  }
}
