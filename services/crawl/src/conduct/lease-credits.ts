import { BillingServiceService as Rpc } from '@tidemark/contracts/billing/v1/billing';
import type { Peer } from '@tidemark/service';

const DEADLINE_MS = 5_000;

export interface CreditWishes {
  readonly workspaceId: string;
  readonly captureIds: readonly string[];
  readonly want: number;
  readonly least: number;
}

/** Sets credits aside for pages about to be offered, in one call. @returns what each capture was granted; none where it was nothing */
export function makeLeaseCredits(billing: Peer) {
  return async ({ workspaceId, captureIds, want, least }: CreditWishes): Promise<ReadonlyMap<string, number>> => {
    const items = captureIds.map((id) => ({ id, workspaceId, maxCredits: want, minCredits: least }));
    const { grants } = await billing.call(Rpc.lease, { items }, { requestId: '' }, { deadlineMs: DEADLINE_MS });
    return new Map(grants.filter(({ granted }) => granted > 0).map(({ id, granted }) => [id, granted]));
  };
}
