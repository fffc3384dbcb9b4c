import { BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import { Coalescer, type Peer } from '@tidemark/service';

interface Wish {
  readonly id: string;
  readonly workspaceId: string;
  readonly want: number;
}

/** Asks billing to set credits aside, one at least. Wishes of the same moment travel in one call. @returns what was granted; 0 for none */
export function makeLeaseCredits(billing: Peer): (wish: Wish) => Promise<number> {
  const calls = new Coalescer<Wish, number>(
    async (asked) => {
      const items = asked.map(({ id, workspaceId, want }) => ({ id, workspaceId, maxCredits: want, minCredits: 1 }));
      const { grants } = await billing.call(Rpc.lease, { items }, { requestId: '' }, { deadlineMs: 5_000 });
      const granted = new Map(grants.map((grant) => [grant.id, grant.granted]));
      return asked.map(({ id }) => granted.get(id) ?? 0);
    },
    { maxBatch: 100, maxWriters: 4 },
  );
  return (wish) => calls.add(wish);
}
