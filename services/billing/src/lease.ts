import type { Grant, LedgerStore, Wish } from './store/ledger-store.ts';

/**
 * Sets credits aside for work about to start. A workspace that has no account yet gets one with its plan's welcome credits:
 * the first thing it does opens it, and nothing has to be told in advance.
 */
export function makeLease(deps: { ledger: LedgerStore; openAccount: (workspaceId: string) => Promise<void> }) {
  return async (wishes: readonly Wish[]): Promise<Grant[]> => {
    const grants = await Promise.all(wishes.map((wish) => deps.ledger.lease(wish)));
    const refused = wishes.filter((_, i) => grants[i]?.granted === 0);
    if (refused.length === 0) return grants;

    const workspaces = [...new Set(refused.map((wish) => wish.workspaceId))];
    const open = await deps.ledger.isOpen(workspaces);
    const unopened = workspaces.filter((id) => !open.has(id));
    if (unopened.length === 0) return grants;

    await Promise.all(unopened.map((id) => deps.openAccount(id)));
    return Promise.all(
      wishes.map((wish, i) =>
        unopened.includes(wish.workspaceId) ? deps.ledger.lease(wish) : (grants[i] ?? { id: wish.id, granted: 0 }),
      ),
    );
  };
}
