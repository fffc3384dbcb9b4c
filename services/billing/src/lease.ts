import type { Grant, LedgerStore, Wish } from './store/ledger-store.ts';

/**
 * Sets credits aside for work about to start. A workspace that has no account yet gets one with its plan's welcome credits:
 * the first thing it does opens it, and nothing has to be told in advance.
 */
export function makeLease(deps: { ledger: LedgerStore; openAccount: (workspaceId: string) => Promise<void> }) {
  return async (wishes: readonly Wish[]): Promise<Grant[]> => {
    const grants = await Promise.all(wishes.map((wish) => deps.ledger.lease(wish)));
    const unopened = new Set(wishes.filter((_, i) => grants[i]?.unopened).map((wish) => wish.workspaceId));
    if (unopened.size === 0) return grants;

    await Promise.all([...unopened].map((id) => deps.openAccount(id)));
    return Promise.all(
      wishes.map((wish, i) => {
        const grant = grants[i];
        return grant === undefined || grant.unopened ? deps.ledger.lease(wish) : grant;
      }),
    );
  };
}
