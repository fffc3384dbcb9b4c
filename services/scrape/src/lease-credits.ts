import type { Caller } from '@tidemark/contracts';
import { BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import { Coalescer, type Peer } from '@tidemark/service';

export interface CreditWish {
  /** The capture the credits are for. */
  readonly id: string;
  readonly workspaceId: string;
  readonly want: number;
  readonly least: number;
}

/** Asks billing to set credits aside. Wishes of the same moment travel in one call. @returns what was granted; 0 for none */
export function makeLeaseCredits(billing: Peer): (wish: CreditWish) => Promise<number> {
  const calls = new Coalescer<CreditWish, number>(
    async (wishes) => {
      const items = wishes.map(({ id, workspaceId, want, least }) => ({
        id,
        workspaceId,
        maxCredits: want,
        minCredits: least,
      }));
      const { grants } = await billing.call(Rpc.lease, { items }, { requestId: '' }, { deadlineMs: 5_000 });
      const granted = new Map(grants.map((grant) => [grant.id, grant.granted]));
      return wishes.map((wish) => granted.get(wish.id) ?? 0);
    },
    { maxBatch: 100, maxWriters: 4 },
  );
  return (wish) => calls.add(wish);
}

/** Asks billing what a workspace may still spend. */
export function makeFreeCredits(billing: Peer): (caller: Caller) => Promise<number> {
  return async (caller) => {
    const { balance, reserved } = await billing.call(Rpc.balance, {}, { caller, requestId: '' });
    return balance - reserved;
  };
}
