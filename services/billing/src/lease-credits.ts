import type { LeaseItem } from './store/lease-item.ts';
import type { Grant, LedgerStore } from './store/ledger-store.ts';

/**
 * Reserves credits for work that is about to start. Opens the account of a workspace that has none, so that no other service has to register
 * workspaces here.
 */
export type LeaseCredits = (items: readonly LeaseItem[]) => Promise<Grant[]>;

export function makeLeaseCredits(deps: {
  ledger: LedgerStore;
  /** @returns false if the workspace does not exist any more */
  openAccount: (workspaceId: string) => Promise<boolean>;
}): LeaseCredits {
  return async (items) => {
    const grants = await Promise.all(items.map((item) => deps.ledger.lease(item)));
    const withoutAccount = new Set(items.filter((_, i) => grants[i]?.noAccount).map((item) => item.workspaceId));
    if (withoutAccount.size === 0) return grants;

    await Promise.all([...withoutAccount].map((id) => deps.openAccount(id)));
    return Promise.all(
      items.map((item, i) => {
        const grant = grants[i];
        return grant === undefined || grant.noAccount ? deps.ledger.lease(item) : grant;
      }),
    );
  };
}
