import { leaseCredits } from '@tidemark/jobs';
import type { Peer } from '@tidemark/service';

export interface CreditRequest {
  readonly workspaceId: string;
  readonly captureIds: readonly string[];
  readonly maxCredits: number;
  readonly minCredits: number;
}

/** Leases credits for pages about to be dispatched, in one call. @returns credits granted, by capture; refused pages are absent */
export function makeLeaseCredits(billing: Peer) {
  return ({ workspaceId, captureIds, maxCredits, minCredits }: CreditRequest): Promise<ReadonlyMap<string, number>> =>
    leaseCredits(
      billing,
      captureIds.map((id) => ({ id, workspaceId, maxCredits, minCredits })),
    );
}
