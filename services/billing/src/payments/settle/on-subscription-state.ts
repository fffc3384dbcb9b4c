import type { OutgoingEvent } from '@tidemark/service';
import type pg from 'pg';
import { isLive } from '../../states/subscription-state.ts';
import type { OverageStore } from '../store/overage-store.ts';
import type { SubscriptionRow } from '../store/subscription-row.ts';
import type { CreditAccounts } from './credit-accounts.ts';

/** Applies what a new state means for the account: the free plan after the end, no overage while a renewal is unpaid. */
export type OnSubscriptionState = (
  db: pg.PoolClient,
  before: SubscriptionRow,
  row: SubscriptionRow,
) => Promise<OutgoingEvent | undefined>;

export function makeOnSubscriptionState({
  accounts,
  overage,
  freePlan,
}: {
  readonly accounts: CreditAccounts;
  readonly overage: OverageStore;
  /** Plan of a workspace whose subscription has ended. */
  readonly freePlan: string;
}): OnSubscriptionState {
  return async (db, before, row) => {
    if (before.state === row.state) return undefined;
    const { workspaceId, id } = row;
    const isPastDue = row.state === 'past_due';
    if (isPastDue || before.state === 'past_due') await accounts.setPastDue(db, workspaceId, isPastDue);
    if (row.state !== 'ended' || !isLive(before)) return undefined;
    await overage.release(db, id);
    return accounts.setPlan(db, { workspaceId, plan: freePlan, periodStart: null, ref: `${id}:ended` });
  };
}
